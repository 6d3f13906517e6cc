package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.access.Caller;
import hermit.http.Authenticator.Credentials;
import hermit.problem.GatewayException.RateLimited;
import hermit.problem.GatewayException.Unauthenticated;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class AuthenticationTest {
    private static final String TOKEN = TestClient.TOKEN;

    private Instant now = Instant.parse("2026-11-01T12:00:00Z");
    private final AdminToken authenticator = new AdminToken(TOKEN, new FailedLogins(() -> now));

    @ParameterizedTest
    @ValueSource(strings = {"Bearer " + TOKEN, "bearer " + TOKEN, "BEARER  " + TOKEN + " "})
    void the_token_makes_an_admin(String header) {
        assertThat(authenticate(header, "10.0.0.1")).isEqualTo(new Caller.Admin());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                TOKEN,
                "Basic " + TOKEN,
                "Bearer " + TOKEN + "x",
                "Bearer x" + TOKEN,
                "Bearer hat_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                "Bearer " + TOKEN + " " + TOKEN
            })
    void anything_else_is_refused(String header) {
        assertThatThrownBy(() -> authenticate(header, "10.0.0.1")).isInstanceOf(Unauthenticated.class);
    }

    @Test
    void no_credential_is_nobody() {
        assertThat(authenticator.authenticate(Credentials.ofProgram(Optional.empty(), "10.0.0.1")))
                .isEqualTo(Authenticator.Identified.of(new Caller.Anonymous()));
    }

    @Test
    void an_address_that_failed_too_often_has_to_wait_even_with_the_right_token() {
        for (int i = 0; i < FailedLogins.BURST; i++) fail("10.0.0.1");
        assertThatThrownBy(() -> authenticate("Bearer " + TOKEN, "10.0.0.1"))
                .isInstanceOfSatisfying(
                        RateLimited.class, e -> assertThat(e.retryAfter()).contains(FailedLogins.REFILL));
        assertThat(authenticate("Bearer " + TOKEN, "10.0.0.2")).isEqualTo(new Caller.Admin());
        now = now.plus(FailedLogins.REFILL);
        assertThat(authenticate("Bearer " + TOKEN, "10.0.0.1")).isEqualTo(new Caller.Admin());
    }

    @Test
    void failures_are_forgiven_one_by_one() {
        for (int i = 0; i < FailedLogins.BURST; i++) fail("10.0.0.1");
        now = now.plus(FailedLogins.REFILL.multipliedBy(2));
        fail("10.0.0.1");
        fail("10.0.0.1");
        assertThatThrownBy(() -> authenticate("Bearer wrong", "10.0.0.1")).isInstanceOf(RateLimited.class);
        now = now.plus(Duration.ofHours(1));
        for (int i = 0; i < FailedLogins.BURST; i++) fail("10.0.0.1");
        assertThatThrownBy(() -> authenticate("Bearer wrong", "10.0.0.1")).isInstanceOf(RateLimited.class);
    }

    @Test
    void a_missing_token_and_a_right_one_count_as_no_failure() {
        for (int i = 0; i < 100; i++) {
            authenticator.authenticate(Credentials.ofProgram(Optional.empty(), "10.0.0.1"));
            authenticate("Bearer " + TOKEN, "10.0.0.1");
        }
        assertThatCode(() -> authenticate("Bearer " + TOKEN, "10.0.0.1")).doesNotThrowAnyException();
    }

    @Test
    void the_addresses_of_one_ipv6_network_are_one() {
        for (int i = 0; i < FailedLogins.BURST; i++) fail("2001:db8:1:2:0:0:0:" + i);
        assertThatThrownBy(() -> authenticate("Bearer wrong", "2001:db8:1:2:ffff:0:0:1"))
                .isInstanceOf(RateLimited.class);
        fail("2001:db8:1:3:0:0:0:1");
    }

    @Test
    void memory_stays_bounded_and_recent_failures_are_kept() {
        for (int i = 0; i < FailedLogins.BURST; i++) fail("10.0.0.1");
        for (int i = 0; i < 30_000; i++) fail("host-" + i);
        assertThatThrownBy(() -> authenticate("Bearer wrong", "10.0.0.1")).isInstanceOf(RateLimited.class);
    }

    @Test
    void over_http_a_wrong_token_is_401_and_too_many_are_429_whatever_is_forwarded() {
        try (var server = TestServer.with(Route.get("/things", request -> Reply.ok(Map.of())))) {
            String missing = server.raw(Raw.request("GET /things"));
            assertThat(missing)
                    .startsWith("HTTP/1.1 401 ")
                    .contains("WWW-Authenticate: Bearer")
                    .contains("\"code\":\"unauthenticated\"");
            for (int i = 0; i < FailedLogins.BURST; i++)
                assertThat(server.raw(wrong(i))).startsWith("HTTP/1.1 401 ").doesNotContain("nonsense");
            assertThat(server.raw(wrong(99))).startsWith("HTTP/1.1 429 ").contains("Retry-After: 1");
        }
    }

    private static String wrong(int i) {
        return Raw.request("GET /things", "Authorization: Bearer nonsense", "X-Forwarded-For: 10.1.1." + i);
    }

    private void fail(String address) {
        assertThatThrownBy(() -> authenticate("Bearer wrong", address)).isInstanceOf(Unauthenticated.class);
    }

    private Caller authenticate(String header, String address) {
        return authenticator
                .authenticate(Credentials.ofProgram(Optional.of(header), address))
                .caller();
    }
}
