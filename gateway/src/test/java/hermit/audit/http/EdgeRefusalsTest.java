package hermit.audit.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.http.Raw;
import hermit.http.TestClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a hostile page makes a browser send is turned away, and is found in the audit.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class EdgeRefusalsTest {
    private final TestGateway gateway = new TestGateway();

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_wrong_host_is_recorded_with_what_it_was() {
        send(Raw.request("GET /api/agents?token=CANARY", "Host: evil.example", "X-Request-Id: one"));
        assertThat(refusals()).singleElement().satisfies(each -> {
            assertThat(each)
                    .containsEntry("who", "anonymous")
                    .containsEntry("address", "127.0.0.1")
                    .containsEntry("target", "/api/agents")
                    .containsEntry("result", "wrong_host")
                    .containsEntry("request_id", "one")
                    .containsEntry("details", Map.of("host", "evil.example", "method", "GET"));
            assertThat(each.toString()).doesNotContain("CANARY");
        });
    }

    @Test
    void a_wrong_origin_is_recorded_for_writes_and_for_sockets() {
        send(Raw.request("POST /api/agents", "Origin: https://evil.example", "Content-Length: 0"));
        send(Raw.handshake("/api/agents/main/ws", "Origin: null", "Authorization: Bearer " + TestClient.TOKEN));
        assertThat(refusals()).extracting(each -> each.get("result")).containsExactly("forbidden", "forbidden");
        assertThat(refusals())
                .extracting(each -> each.get("details"))
                .containsExactly(
                        Map.of("host", "localhost", "origin", "null", "method", "GET"),
                        Map.of("host", "localhost", "origin", "https://evil.example", "method", "POST"));
        assertThat(gateway.client.get("/api/audit").text()).doesNotContain(TestClient.TOKEN);
    }

    @Test
    void a_cookie_without_the_header_that_no_foreign_page_sends_is_recorded() {
        String cookie = gateway.client
                .anonymous()
                .post("/api/auth/login", Map.of("token", TestClient.TOKEN))
                .header("Set-Cookie")
                .replaceAll(";.*", "");
        send(Raw.request("POST /api/agents", "Cookie: " + cookie, "Content-Length: 0"));
        assertThat(gateway.client.get("/api/audit?action=agents&user=anonymous").items())
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("result", "forbidden"));
        assertThat(gateway.client.get("/api/audit").text()).doesNotContain(cookie);
    }

    @Test
    void a_flood_is_counted_and_fills_nothing() {
        String wrong = Raw.request("GET /", "Host: " + "x".repeat(300) + ".example");
        for (int i = 0; i < 130; i++) send(wrong);
        assertThat(refusals()).hasSize(100);
        gateway.time.advance(Duration.ofSeconds(10));
        send(wrong);
        assertThat(refusals().getFirst().get("details"))
                .isEqualTo(Map.of("host", "x".repeat(200) + "…", "method", "GET", "failures_left_out", "30"));
    }

    private void send(String request) {
        assertThat(Raw.exchange(gateway.port(), request)).startsWith("HTTP/1.1 4");
    }

    private List<Map<String, Object>> refusals() {
        return gateway.client.get("/api/audit?limit=200&action=edge.refuse").items();
    }
}
