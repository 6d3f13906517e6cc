package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.api.Readiness.Part;
import hermit.http.ReadinessCheck.Outcome;
import hermit.http.ReadinessCheck.Probe;
import hermit.problem.GatewayException.BackendUnavailable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StatusRoutesTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    @Test
    void health_is_ok_whatever_else_is_down() {
        try (var gateway = new TestGateway()) {
            gateway.databaseUp = false;
            gateway.docker.down = true;
            assertThat(Raw.exchange(gateway.port(), Raw.request("GET /health")))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("{\"status\":\"ok\"}");
        }
    }

    @Test
    void ready_says_to_an_admin_how_everything_is() {
        try (var gateway = new TestGateway()) {
            var answer = gateway.client.get("/ready");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo("""
                            {"status":"ready","database":{"state":"up","detail":"memory"},"backends":{\
                            "docker":{"state":"up","detail":"fake"},\
                            "daytona":{"state":"not_configured","detail":"no key"},\
                            "e2b":{"state":"not_configured","detail":"no key"},\
                            "tenki":{"state":"not_configured","detail":"no key"}}}""");
        }
    }

    @Test
    void to_everybody_else_ready_tells_states_and_no_details() {
        try (var gateway = new TestGateway()) {
            gateway.docker.down = true;
            assertThat(Raw.exchange(gateway.port(), Raw.request("GET /ready")))
                    .startsWith("HTTP/1.1 503 ")
                    .contains("{\"status\":\"unavailable\"")
                    .contains("\"docker\":{\"state\":\"down\",\"detail\":null}")
                    .doesNotContain("the fake is down");
            assertThat(gateway.client.get("/ready").text()).contains("the fake is down");
            gateway.docker.down = false;
            gateway.databaseUp = false;
            assertThat(gateway.client.get("/ready").status()).isEqualTo(503);
            gateway.databaseUp = true;
            assertThat(gateway.client.get("/ready").status()).isEqualTo(200);
        }
    }

    @Test
    void a_wrong_token_is_not_taken_for_none() {
        try (var gateway = new TestGateway()) {
            assertThat(Raw.exchange(gateway.port(), Raw.request("GET /ready", "Authorization: Bearer wrong")))
                    .startsWith("HTTP/1.1 401 ");
        }
    }

    @Test
    void with_some_backends_the_gateway_is_degraded_and_with_none_unavailable() throws Exception {
        var backends = new LinkedHashMap<String, Probe>();
        backends.put("docker", () -> new Outcome(true, ""));
        backends.put("e2b", () -> {
            throw new BackendUnavailable("no way there");
        });
        var check = new ReadinessCheck(() -> new Outcome(true, ""), backends, Map.of(), ReadinessCheck.PATIENCE);
        assertThat(check.check().status()).isEqualTo("degraded");
        assertThat(check.check().backends().get("e2b")).isEqualTo(new Part("down", Optional.of("no way there")));
        var none = new ReadinessCheck(
                () -> new Outcome(true, ""), Map.of(), Map.of("tenki", "no key"), ReadinessCheck.PATIENCE);
        assertThat(none.check().status()).isEqualTo("unavailable");
    }

    @Test
    void a_part_that_hangs_is_down_and_not_asked_twice() throws Exception {
        var asked = new AtomicInteger();
        var answer = new CountDownLatch(1);
        Probe hanging = () -> {
            asked.incrementAndGet();
            answer.await();
            return new Outcome(true, "");
        };
        var check = new ReadinessCheck(() -> new Outcome(true, ""), Map.of("docker", hanging), Map.of(), SHORT);
        assertThat(check.check().status()).isEqualTo("unavailable");
        assertThat(check.check().status()).isEqualTo("unavailable");
        assertThat(asked).hasValue(1);
        answer.countDown();
        while (!check.check().status().equals("ready")) Thread.onSpinWait();
    }
}
