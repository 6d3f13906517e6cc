package hermit.model;

import dev.langchain4j.exception.HttpException;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEvent;
import dev.langchain4j.http.client.sse.ServerSentEventContext;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLException;

/// LangChain4j's way out, on the JDK's HTTP client. Unlike the one that comes with it, this one reads on
/// the thread that asks, so that an interrupt of that thread closes the connection; keeps what a refusal
/// says about when to come back; and takes no more than an answer may reasonably have. It follows no
/// redirect: the key goes to the operator's address only.
final class ModelHttp implements HttpClient, AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(15);
    /// Until the first byte of an answer: some servers load a model first.
    private static final Duration FIRST_BYTE = Duration.ofMinutes(5);
    /// Of what a refusal says.
    private static final int MOST_REFUSAL = 4_096;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final java.net.http.HttpClient http = java.net.http.HttpClient.newBuilder()
            // An upgrade to HTTP/2 in the clear is more than some small servers take.
            .version(Version.HTTP_1_1)
            .followRedirects(Redirect.NEVER)
            .connectTimeout(CONNECT)
            .executor(threads)
            .build();

    /// The provider has answered with another status than 2xx.
    static final class Refusal extends HttpException {
        private final Optional<String> retryAfter;

        private Refusal(int status, String body, Optional<String> retryAfter) {
            super(status, body);
            this.retryAfter = retryAfter;
        }

        Optional<String> retryAfter() {
            return retryAfter;
        }
    }

    /// How the answer to what this thread asks is read.
    private static final ScopedValue<Reading> READING = ScopedValue.newInstance();

    /// - `mostBytes`: of the whole answer.
    /// - `heard`: told of whatever comes, while LangChain4j hands on only what it knows.
    record Reading(long mostBytes, Runnable heard) {
        /// While signs of life come without a token.
        private static final long SLACK = 1 << 20;
        /// A token takes 200 to 600 bytes as an event, with all that servers repeat in each.
        private static final long BYTES_PER_TOKEN = 1 << 10;

        static Reading ofAtMost(int tokens, Runnable heard) {
            return new Reading(SLACK + tokens * BYTES_PER_TOKEN, heard);
        }

        /// What is asked in `asking` is read so.
        void during(Runnable asking) {
            ScopedValue.where(READING, this).run(asking);
        }
    }

    /// An answer has more than there may be of it.
    static final class TooLarge extends IOException {
        TooLarge(long most) {
            super("the answer is larger than %d bytes".formatted(most));
        }
    }

    /// No connection can be had that is safe to send a key over.
    static final class NotSecure extends IOException {
        NotSecure(IOException why) {
            super("no secure connection: " + why.getMessage(), why);
        }
    }

    /// For LangChain4j's builders, which want to build it themselves.
    HttpClientBuilder asBuilder() {
        return new Builder(this);
    }

    @Override
    public SuccessfulHttpResponse execute(HttpRequest request) {
        throw new UnsupportedOperationException("models are only asked for streams");
    }

    @Override
    public void execute(HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
        var once = new Once(listener);
        try {
            HttpResponse<InputStream> response = send(jdkRequest(request));
            try (InputStream body = response.body()) {
                if (response.statusCode() / 100 != 2) throw refusal(response, body);
                once.onOpen(SuccessfulHttpResponse.builder()
                        .statusCode(response.statusCode())
                        .headers(response.headers().map())
                        .build());
                parser.parse(new Bounded(body, READING.get()), once);
            }
            once.onClose();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            once.onError(e);
        } catch (IOException | HttpException e) {
            once.onError(e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
        threads.shutdownNow();
    }

    private HttpResponse<InputStream> send(java.net.http.HttpRequest request) throws IOException, InterruptedException {
        try {
            return http.send(request, BodyHandlers.ofInputStream());
        } catch (IOException e) {
            // The JDK wraps what has happened to the connection, at times.
            for (Throwable each = e; each != null; each = each.getCause())
                if (each instanceof SSLException) throw new NotSecure(e);
            throw e;
        }
    }

    private static Refusal refusal(HttpResponse<InputStream> response, InputStream body) throws IOException {
        String text = new String(body.readNBytes(MOST_REFUSAL), StandardCharsets.UTF_8);
        return new Refusal(response.statusCode(), text, response.headers().firstValue("Retry-After"));
    }

    private static java.net.http.HttpRequest jdkRequest(HttpRequest request) {
        var builder = java.net.http.HttpRequest.newBuilder(URI.create(request.url()))
                .timeout(FIRST_BYTE)
                .method(request.method().name(), BodyPublishers.ofString(String.valueOf(request.body())));
        request.headers().forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
        return builder.build();
    }

    /// The JDK's client is there already; what others want of it does not count.
    private record Builder(ModelHttp client) implements HttpClientBuilder {
        @Override
        public Duration connectTimeout() {
            return CONNECT;
        }

        @Override
        public HttpClientBuilder connectTimeout(Duration timeout) {
            return this;
        }

        @Override
        public Duration readTimeout() {
            return FIRST_BYTE;
        }

        @Override
        public HttpClientBuilder readTimeout(Duration timeout) {
            return this;
        }

        @Override
        public HttpClient build() {
            return client;
        }
    }

    /// After an error nothing more is told: neither another one, nor that it has come to its end.
    private static final class Once implements ServerSentEventListener {
        private final ServerSentEventListener listener;
        private boolean over;

        Once(ServerSentEventListener listener) {
            this.listener = listener;
        }

        @Override
        public void onOpen(SuccessfulHttpResponse response) {
            listener.onOpen(response);
        }

        @Override
        public void onEvent(ServerSentEvent event) {
            if (!over) listener.onEvent(event);
        }

        @Override
        public void onEvent(ServerSentEvent event, ServerSentEventContext context) {
            if (!over) listener.onEvent(event, context);
        }

        @Override
        public void onError(Throwable error) {
            if (over) return;
            over = true;
            listener.onError(error);
        }

        @Override
        public void onClose() {
            if (!over) listener.onClose();
        }
    }

    /// A body that breaks off when there is too much of it.
    private static final class Bounded extends InputStream {
        private final InputStream body;
        private final Reading reading;
        private long left;

        Bounded(InputStream body, Reading reading) {
            this.body = body;
            this.reading = reading;
            this.left = reading.mostBytes;
        }

        @Override
        public int read() throws IOException {
            int each = body.read();
            if (each >= 0) count(1);
            return each;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = body.read(bytes, from, length);
            if (read > 0) count(read);
            return read;
        }

        @Override
        public void close() throws IOException {
            body.close();
        }

        private void count(int read) throws IOException {
            reading.heard.run();
            left -= read;
            if (left < 0) throw new TooLarge(reading.mostBytes);
        }
    }
}
