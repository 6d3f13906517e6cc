package hermit.fake.e2b;

import hermit.fake.FakeFailure;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/// The listening server: reads a request whole, and sends its answer.
final class Wire implements AutoCloseable {
    private final Server server;
    private final ServerConnector connector;

    @FunctionalInterface
    interface Answers {
        Answer to(Call call) throws IOException, InterruptedException;
    }

    private Wire(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
    }

    /// `port` 0: a free one.
    static Wire listen(String host, int port, Answers answers) {
        var threads = new QueuedThreadPool(8, 2);
        threads.setName("fake-e2b");
        threads.setDaemon(true);
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var server = new Server(threads);
        var config = new HttpConfiguration();
        config.setSendServerVersion(false);
        config.setUriCompliance(UriCompliance.LEGACY); // names of snapshots travel with an encoded slash
        config.setIdleTimeout(0);
        var connector = new ServerConnector(server, new HttpConnectionFactory(config));
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(0);
        server.addConnector(connector);
        server.setHandler(new Handling(answers));
        server.setStopTimeout(0);
        try {
            server.start();
        } catch (Exception e) {
            throw new FakeFailure("listen on port " + port + ": " + e.getMessage(), e);
        }
        return new Wire(server, connector);
    }

    int port() {
        return connector.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new FakeFailure("stop the server: " + e.getMessage(), e);
        }
    }

    private static final class Handling extends Handler.Abstract {
        private final Answers answers;

        Handling(Answers answers) {
            this.answers = answers;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            try {
                send(answers.to(read(request)), response);
                callback.succeeded();
            } catch (InterruptedException | IOException e) {
                // Whoever asked has gone, or is to see the connection closed.
                request.getConnectionMetaData().getConnection().getEndPoint().close();
                callback.failed(e);
            } catch (RuntimeException e) {
                Response.writeError(request, response, callback, e);
            }
            return true;
        }

        private static Call read(Request request) throws IOException {
            Map<String, String> headers = new HashMap<>();
            for (HttpField field : request.getHeaders())
                headers.merge(field.getLowerCaseName(), String.valueOf(field.getValue()), (a, b) -> a + ", " + b);
            String sent = request.getHttpURI().getQuery();
            String query = sent == null ? "" : sent;
            try (InputStream body = Content.Source.asInputStream(request)) {
                return new Call(
                        request.getMethod().toUpperCase(Locale.ROOT),
                        request.getHttpURI().getPath(),
                        query,
                        Call.queryOf(query),
                        headers,
                        body.readAllBytes(),
                        Optional.empty());
            }
        }

        private static void send(Answer answer, Response response) throws IOException, InterruptedException {
            switch (answer) {
                case Answer.Whole(var status, var headers, var body) -> {
                    response.setStatus(status);
                    headers.forEach(response.getHeaders()::put);
                    try (var out = Content.Sink.asOutputStream(response)) {
                        out.write(body);
                    }
                }
                case Answer.Streamed(var headers, var body) -> {
                    headers.forEach(response.getHeaders()::put);
                    var out = Content.Sink.asOutputStream(response);
                    out.flush();
                    body.writeTo(bytes -> {
                        out.write(bytes);
                        out.flush();
                    });
                    out.close();
                }
            }
        }
    }
}
