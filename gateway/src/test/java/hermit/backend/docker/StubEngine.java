package hermit.backend.docker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// An engine with no containers, which speaks only some versions of the API, as real ones do: a path
/// with another version is answered with 400, also for what it knows.
final class StubEngine implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<String> versions = ConcurrentHashMap.newKeySet();
    private final CountDownLatch hanging = new CountDownLatch(1);
    private volatile String lowest;
    private volatile String highest;
    private volatile int status = 200;
    private volatile String listing = "[]";
    private volatile boolean hang;

    StubEngine(String lowest, String highest) {
        this(lowest, highest, 0);
    }

    private StubEngine(String lowest, String highest, int port) {
        this.lowest = lowest;
        this.highest = highest;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    URI endpoint() {
        return URI.create("tcp://127.0.0.1:" + server.getAddress().getPort());
    }

    /// Another engine at the same address, after this one was closed.
    StubEngine again() {
        return new StubEngine(lowest, highest, server.getAddress().getPort());
    }

    /// The engine is replaced while nobody looks.
    void speak(String lowest, String highest) {
        this.lowest = lowest;
        this.highest = highest;
    }

    void answerListings(int status, String body) {
        this.status = status;
        this.listing = body;
    }

    /// Listings are not answered any more.
    void hang() {
        hang = true;
    }

    void awaitHanging() throws InterruptedException {
        hanging.await();
    }

    /// Those in the paths that were asked for.
    Set<String> versions() {
        return Set.copyOf(versions);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/version")) {
            send(exchange, 200, """
                    {"Version":"stub","ApiVersion":"%s","MinAPIVersion":"%s","Os":"linux","Arch":"amd64"}""".formatted(highest, lowest));
            return;
        }
        String version = path.substring(2, path.indexOf('/', 1));
        versions.add(version);
        if (number(version) < number(lowest)) {
            send(exchange, 400, """
                    {"message":"client version %s is too old. Minimum supported API version is %s"}""".formatted(version, lowest));
            return;
        }
        if (number(version) > number(highest)) {
            send(exchange, 400, """
                    {"message":"client version %s is too new. Maximum supported API version is %s"}""".formatted(version, highest));
            return;
        }
        switch (path.substring(path.indexOf('/', 1))) {
            case "/_ping" -> send(exchange, 200, "OK");
            case "/info" -> send(exchange, 200, "{\"OSType\":\"linux\",\"NCPU\":2}");
            case "/containers/json" -> {
                if (hang) waitForEver();
                send(exchange, status, listing);
            }
            default -> send(exchange, 404, "{\"message\":\"no such thing\"}");
        }
    }

    private void waitForEver() {
        hanging.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException _) {
            // The stub is closed.
        }
    }

    private static int number(String version) {
        return Integer.parseInt(version.substring(version.indexOf('.') + 1));
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
