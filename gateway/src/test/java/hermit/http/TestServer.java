package hermit.http;

import hermit.access.RoutePolicies;
import hermit.access.RoutePolicy;
import hermit.world.World;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// A server with routes made for a test, and a client for it. Routes are for admins unless they are under `/public`.
final class TestServer implements AutoCloseable {
    static final String TOKEN = "hat_0123456789abcdefghijklmnopqrstuvwxyz";

    final Beats beats = new Beats();
    final MeterRegistry meters = new SimpleMeterRegistry();
    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    private TestServer(HttpSettings settings, List<Route> routes) {
        var world = new World(() -> Instant.parse("2026-11-01T12:00:00Z"), new Random(1), beats);
        server = HttpServer.start(
                settings,
                List.of(() -> routes),
                policies(routes),
                new AdminToken(TOKEN, new FailedLogins(world.clock())),
                meters,
                world);
    }

    static TestServer with(Route... routes) {
        return with(HttpSettings.on("127.0.0.1", 0), routes);
    }

    static TestServer with(HttpSettings settings, Route... routes) {
        return new TestServer(settings, List.of(routes));
    }

    static RoutePolicies policies(List<Route> routes) {
        Map<String, RoutePolicy> table = new LinkedHashMap<>();
        for (Route route : routes)
            table.put(
                    route.toString(),
                    route.path().startsWith("/public") ? new RoutePolicy.Everybody() : new RoutePolicy.AdminOnly());
        return new RoutePolicies(table);
    }

    int port() {
        return server.port();
    }

    HttpServer server() {
        return server;
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .header("Authorization", "Bearer " + TOKEN);
    }

    HttpResponse<String> get(String path) {
        return send(request(path));
    }

    HttpResponse<String> post(String path, String body) {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Sends exactly these bytes and reads until the server closes the connection.
    String raw(String request) {
        return Raw.exchange(port(), request);
    }

    @Override
    public void close() {
        server.close();
        client.shutdownNow();
    }
}
