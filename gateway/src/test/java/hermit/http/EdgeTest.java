package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class EdgeTest {
    private final TestServer server = TestServer.with(
            new HttpSettings(
                    "127.0.0.1",
                    0,
                    Set.of("Hermit.Example"),
                    Set.of("https://hermit.example"),
                    HttpSettings.MAX_STREAMS,
                    HttpSettings.GRACE,
                    HttpSettings.HEARTBEAT),
            Route.get("/public", request -> Reply.noContent()),
            Route.post("/public", request -> Reply.noContent()).withoutBody());

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST:4000",
                "127.0.0.1:1",
                "[::1]:4000",
                "hermit.example",
                "hermit.example:443"
            })
    void names_of_this_gateway_are_served(String host) {
        assertThat(get(host)).startsWith("HTTP/1.1 204 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "localhost.evil.example",
                "hermit.example.evil.example",
                "127.0.0.1.evil.example",
                "127.0.0.2",
                "[::2]"
            })
    void another_host_name_is_421_whatever_the_path(String host) {
        assertThat(get(host)).startsWith("HTTP/1.1 421 ").contains("\"code\":\"wrong_host\"");
    }

    @Test
    void a_request_without_a_host_is_not_served() {
        assertThat(server.raw("GET /public HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 421 ");
        assertThat(server.raw("GET /public HTTP/1.1\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
    }

    @Test
    void the_target_cannot_name_another_host_than_the_header() {
        assertThat(server.raw(
                        "GET http://evil.example/public HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://localhost:4000", "https://hermit.example"})
    void pages_of_this_gateway_may_change_things(String origin) {
        assertThat(post(origin)).startsWith("HTTP/1.1 204 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "",
                "https://evil.example",
                "http://localhost:4001",
                "https://localhost:4000",
                "http://localhost:4000.evil.example",
                "https://hermit.example.evil.example",
                "https://hermit.example:8443",
                "http://hermit.example",
                "HTTPS://HERMIT.EXAMPLE"
            })
    void pages_of_any_other_origin_may_not_nor_read(String origin) {
        assertThat(post(origin)).startsWith("HTTP/1.1 403 ").contains("\"code\":\"forbidden\"");
        assertThat(server.raw(Raw.request("GET /public", "Host: localhost:4000", "Origin: " + origin)))
                .startsWith("HTTP/1.1 403 ")
                .contains("\"code\":\"forbidden\"");
    }

    @Test
    void a_foreign_page_learns_nothing_from_a_preflight() {
        var preflight =
                Raw.request("OPTIONS /public", "Origin: https://evil.example", "Access-Control-Request-Method: POST");
        assertThat(server.raw(preflight)).startsWith("HTTP/1.1 403 ").doesNotContain("Access-Control-Allow");
    }

    @Test
    void a_websocket_of_a_foreign_page_is_refused_before_anything_else() {
        String foreign = Raw.handshake("/public", "Origin: https://evil.example");
        assertThat(server.raw(foreign)).startsWith("HTTP/1.1 403 ");
        String ours = Raw.handshake("/public");
        assertThat(server.raw(ours)).startsWith("HTTP/1.1 404 ").contains("\"code\":\"not_found\"");
    }

    @Test
    void headers_that_are_too_large_are_431_and_a_target_that_is_too_long_too() {
        String large = "x".repeat(20_000);
        assertThat(server.raw("GET /public HTTP/1.1\r\nHost: localhost\r\nX-Large: " + large + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ")
                .contains("\"code\":\"too_large\"")
                .contains("X-Content-Type-Options: nosniff");
        assertThat(server.raw("GET /" + large + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 414 ")
                .contains("\"code\":\"too_large\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /%2e%2e/public",
                "GET /a/%2e%2e/public",
                "GET /a%2fb",
                "GET /a\\b",
                "GET /%zz",
                "GET /%00",
                "GET /%ff",
                "GET /public;x=1",
                "GET /public\r\nHost: evil.example",
                "GET /public\r\nBad Header: 1",
                "POST /public\r\nContent-Length: 2\r\nTransfer-Encoding: chunked",
                "POST /public\r\nContent-Length: -1",
                "POST /public\r\nContent-Length: 1\r\nContent-Length: 2",
                "GARBAGE"
            })
    void what_is_not_plain_http_is_a_problem_too(String request) {
        String[] lines = request.split("\r\n", -1);
        String text = lines[0] + " HTTP/1.1\r\nHost: localhost\r\n"
                + String.join("\r\n", List.of(lines).subList(1, lines.length)) + "\r\nConnection: close\r\n\r\n";
        assertThat(server.raw(lines.length == 1 ? text.replace("\r\n\r\nConn", "\r\nConn") : text))
                .matches("(?s)HTTP/1.1 (400|404|505) .*")
                .contains("Content-Type: application/problem+json")
                .doesNotContain("jetty");
    }

    private String get(String host) {
        return server.raw(Raw.request("GET /public", "Host: " + host));
    }

    private String post(String origin) {
        return server.raw(
                Raw.request("POST /public", "Host: localhost:4000", "Origin: " + origin, "Content-Length: 0"));
    }
}
