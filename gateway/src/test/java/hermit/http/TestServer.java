package hermit.http;

import hermit.access.Caller;
import hermit.access.RoutePolicies;
import hermit.access.RoutePolicy;
import hermit.access.Standing;
import hermit.http.TestClient.Answer;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Unauthenticated;
import hermit.world.World;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/// A server with routes made for a test, and a client for it. Routes are for admins unless they are under
/// `/public`.
final class TestServer implements AutoCloseable {
    final Beats beats = new Beats();
    final MeterRegistry meters = new SimpleMeterRegistry();
    private final HttpServer server;
    private final TestClient client;
    private volatile boolean locked;

    private TestServer(HttpSettings settings, List<Route> routes) {
        var world = new World(() -> Instant.parse("2026-11-01T12:00:00Z"), new Random(1), beats);
        server = HttpServer.start(
                settings,
                List.of(() -> routes),
                policies(routes),
                new AdminToken(TestClient.TOKEN, new FailedLogins(world.clock())),
                this::check,
                RequestObserver.NOBODY,
                meters,
                world);
        client = new TestClient(server.port());
    }

    /// As the gateway's own gate does, where there are no agents.
    private Optional<Standing> check(RoutePolicy policy, Caller caller, Optional<String> agent, boolean reading) {
        if (locked) throw new Forbidden("Nobody may do anything");
        if (!(policy instanceof RoutePolicy.Everybody) && !(caller instanceof Caller.Admin))
            throw new Unauthenticated("This route needs a token");
        return Optional.empty();
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

    /// From now on nobody may do anything.
    void lock() {
        locked = true;
    }

    HttpServer server() {
        return server;
    }

    HttpRequest.Builder request(String path) {
        return client.request(path);
    }

    Answer get(String path) {
        return client.get(path);
    }

    Answer post(String path, String body) {
        return client.send("POST", path, body);
    }

    Answer send(HttpRequest.Builder request) {
        return client.send(request);
    }

    /// Sends exactly these bytes and reads until the server closes the connection.
    String raw(String request) {
        return Raw.exchange(port(), request);
    }

    @Override
    public void close() {
        server.close();
        client.close();
    }
}
