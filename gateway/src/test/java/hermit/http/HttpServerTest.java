package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.access.RoutePolicies;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.RateLimited;
import hermit.problem.ProblemCode;
import hermit.world.World;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class HttpServerTest {
    @Test
    void a_route_answers_with_json_on_a_virtual_thread() {
        var route = Route.get(
                "/things/{name}",
                request -> Reply.ok(Map.of(
                        "name",
                        request.path("name"),
                        "virtual",
                        Thread.currentThread().isVirtual())));
        try (var server = TestServer.with(route)) {
            var response = server.get("/things/a%20b");
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Content-Type")).isEqualTo("application/json");
            assertThat(response.text()).contains("\"name\":\"a b\"").contains("\"virtual\":true");
        }
    }

    @Test
    void every_answer_tells_browsers_to_keep_out_and_names_no_server() {
        try (var server = TestServer.with(Route.get("/public", request -> Reply.noContent()))) {
            for (String path : List.of("/public", "/nowhere")) {
                var answer = server.get(path);
                assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(answer.header("Content-Security-Policy")).contains("frame-ancestors 'none'");
                assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
                assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
                assertThat(answer.header("Server")).isEmpty();
                assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
            }
        }
    }

    @Test
    void an_unknown_path_is_404_and_another_method_405_with_those_that_it_takes() {
        var routes = new Route[] {
            Route.get("/public/things", request -> Reply.noContent()),
            Route.post("/public/things", request -> Reply.noContent())
        };
        try (var server = TestServer.with(routes)) {
            var unknown = server.get("/public/thing");
            assertThat(unknown.status()).isEqualTo(404);
            assertThat(unknown.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(unknown.text()).contains("\"code\":\"not_found\"");
            var other = server.send(server.request("/public/things").DELETE());
            assertThat(other.status()).isEqualTo(405);
            assertThat(other.text()).contains("\"code\":\"not_found\"").contains("\"status\":405");
            assertThat(other.header("Allow").split(", "))
                    .contains("GET", "POST")
                    .doesNotContain("DELETE");
            assertThat(server.get("/public/things/").status()).isEqualTo(404);
        }
    }

    @Test
    void head_asks_for_the_same_token_as_get() {
        try (var server = TestServer.with(Route.get("/things", request -> Reply.ok(Map.of("a", 1))))) {
            var head = server.request("/things").method("HEAD", BodyPublishers.noBody());
            assertThat(server.send(head).status()).isEqualTo(200);
            String stranger = server.raw(Raw.request("HEAD /things"));
            assertThat(stranger).startsWith("HTTP/1.1 401 ");
        }
    }

    @Test
    void a_short_safe_request_id_is_given_back_and_any_other_replaced() {
        try (var server = TestServer.with(Route.get("/public", request -> Reply.noContent()))) {
            var given = server.send(server.request("/public").header("X-Request-Id", "abc-1.2_3"));
            assertThat(given.header("X-Request-Id")).isEqualTo("abc-1.2_3");
            var unsafe = server.send(server.request("/nowhere").header("X-Request-Id", "a b<script>"));
            assertThat(unsafe.header("X-Request-Id")).matches("[0-9a-f-]{36}");
        }
    }

    @Test
    void what_nobody_foresaw_is_a_500_that_tells_nothing_of_the_inside() {
        var route = Route.get("/public", request -> {
            throw new IllegalStateException("table agents, password hunter2");
        });
        try (var server = TestServer.with(route)) {
            var response = server.send(server.request("/public").header("X-Request-Id", "r-1"));
            assertThat(response.status()).isEqualTo(500);
            assertThat(response.text())
                    .contains("\"code\":\"internal\"")
                    .contains("r-1")
                    .doesNotContain("hunter2")
                    .doesNotContain("IllegalState");
        }
    }

    @Test
    void refusals_of_a_handler_become_problems_with_their_headers() {
        var routes = new Route[] {
            Route.get("/public/gone", request -> {
                throw new NotFound("No such thing");
            }),
            Route.get("/public/busy", request -> {
                throw new Conflict(ProblemCode.BUSY, "It is in use", Duration.ofMillis(1_200));
            }),
            Route.get("/public/limited", request -> {
                throw new RateLimited("Slower", Duration.ofSeconds(3));
            })
        };
        try (var server = TestServer.with(routes)) {
            assertThat(server.get("/public/gone").text())
                    .isEqualTo("{\"type\":\"urn:hermit:problem:not_found\",\"title\":\"Not found\",\"status\":404,"
                            + "\"detail\":\"No such thing\",\"code\":\"not_found\",\"errors\":[]}");
            var busy = server.get("/public/busy");
            assertThat(busy.status()).isEqualTo(409);
            assertThat(busy.header("Retry-After")).isEqualTo("2");
            var limited = server.get("/public/limited");
            assertThat(limited.status()).isEqualTo(429);
            assertThat(limited.header("Retry-After")).isEqualTo("3");
        }
    }

    @Test
    void the_token_is_asked_for_before_the_query_and_the_body_are_looked_at() {
        var handled = new AtomicInteger();
        var route = Route.post("/things", request -> {
            request.body();
            handled.incrementAndGet();
            return Reply.noContent();
        });
        try (var server = TestServer.with(route)) {
            String stranger = server.raw(Raw.request("POST /things?bad=1", "Content-Length: 4") + "null");
            assertThat(stranger).startsWith("HTTP/1.1 401 ").contains("WWW-Authenticate: Bearer");
            assertThat(server.post("/things?bad=1", "null").text())
                    .contains("\"code\":\"invalid\"")
                    .contains("\"path\":\"bad\"");
            assertThat(handled).hasValue(0);
            assertThat(server.post("/things", "{}").status()).isEqualTo(204);
        }
    }

    @Test
    void a_route_without_a_policy_keeps_the_server_from_starting() {
        var world = new World(() -> Instant.EPOCH, new Random(1), duration -> {});
        var route = Route.get("/forgotten", request -> Reply.noContent());
        assertThatThrownBy(() -> HttpServer.start(
                        HttpSettings.on("127.0.0.1", 0),
                        List.of(() -> List.of(route)),
                        new RoutePolicies(Map.of()),
                        credentials -> Authenticator.Identified.of(new hermit.access.Caller.Admin()),
                        (_, _, _, _) -> Optional.empty(),
                        RequestObserver.NOBODY,
                        new SimpleMeterRegistry(),
                        world))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("GET /forgotten");
    }

    @Test
    void requests_are_counted_by_route_and_not_by_path() {
        try (var server = TestServer.with(Route.get("/public/{id}", request -> Reply.noContent()))) {
            server.get("/public/1");
            server.get("/public/2");
            server.get("/random/path");
            assertThat(server.meters
                            .get("hermit.http.requests")
                            .tags("method", "GET", "route", "/public/{id}", "status", "204")
                            .timer()
                            .count())
                    .isEqualTo(2);
            assertThat(server.meters
                            .get("hermit.http.requests")
                            .tags("route", "none", "status", "404")
                            .timer()
                            .count())
                    .isEqualTo(1);
        }
    }
}
