package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ClientAddressesTest {
    private static final Route WHERE = Route.get(
            "/public/where", request -> Reply.ok(Map.of("address", request.address(), "secure", request.isSecure())));

    @Test
    void without_a_trusted_proxy_no_header_says_where_a_caller_is() {
        try (var server = TestServer.with(WHERE)) {
            assertThat(server.raw(Raw.request(
                            "GET /public/where",
                            "X-Forwarded-For: 203.0.113.7",
                            "Forwarded: for=203.0.113.7;proto=https",
                            "X-Forwarded-Proto: https")))
                    .contains("\"address\":\"127.0.0.1\"")
                    .contains("\"secure\":false");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    X-Forwarded-For: 203.0.113.7                            | 203.0.113.7
                    X-Forwarded-For: 6.6.6.6, 203.0.113.7                   | 203.0.113.7
                    X-Forwarded-For: 6.6.6.6, 203.0.113.7, 10.1.2.3         | 203.0.113.7
                    X-Forwarded-For: 10.1.2.3, 10.4.5.6                     | 10.1.2.3
                    X-Forwarded-For: 203.0.113.7:4711                       | 203.0.113.7
                    X-Forwarded-For: [2001:db8::1]:4711                     | 2001:db8:0:0:0:0:0:1
                    X-Forwarded-For: ::ffff:203.0.113.7                     | 203.0.113.7
                    X-Forwarded-For: unknown                                | 127.0.0.1
                    X-Forwarded-For: 6.6.6.6, evil.example, 10.1.2.3        | 10.1.2.3
                    X-Forwarded-For:                                        | 127.0.0.1
                    Forwarded: for=203.0.113.7                              | 203.0.113.7
                    Forwarded: for=6.6.6.6, For="203.0.113.7:80";proto=http | 203.0.113.7
                    Forwarded: for="[2001:db8::1]:4711"                     | 2001:db8:0:0:0:0:0:1
                    Forwarded: for=_hidden                                  | 127.0.0.1
                    Forwarded: by=203.0.113.7                               | 127.0.0.1
                    """)
    void a_trusted_proxy_says_it_and_what_stands_before_is_not_believed(String header, String address) {
        assertThat(ask(header)).contains("\"address\":\"" + address + "\"");
    }

    @Test
    void of_two_headers_that_disagree_neither_is_believed() {
        assertThat(ask("X-Forwarded-For: 203.0.113.7", "Forwarded: for=6.6.6.6"))
                .contains("\"address\":\"127.0.0.1\"");
        assertThat(ask("X-Forwarded-For: 203.0.113.7", "Forwarded: for=203.0.113.7"))
                .contains("\"address\":\"203.0.113.7\"");
    }

    @Test
    void several_lines_are_one_list() {
        assertThat(ask("X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 203.0.113.7"))
                .contains("\"address\":\"203.0.113.7\"");
    }

    @Test
    void the_proxy_also_says_whether_it_was_tls() {
        assertThat(ask("X-Forwarded-Proto: https")).contains("\"secure\":true");
        assertThat(ask("X-Forwarded-Proto: https, http")).contains("\"secure\":false");
        assertThat(ask("Forwarded: for=203.0.113.7;proto=https")).contains("\"secure\":true");
        assertThat(ask("Forwarded: proto=https, for=203.0.113.7")).contains("\"secure\":false");
    }

    @Test
    void each_caller_behind_a_proxy_fails_for_themselves_whatever_they_make_up() {
        try (var server = TestServer.with(trusting(), Route.get("/things", request -> Reply.ok(Map.of())))) {
            for (int i = 0; i < FailedLogins.BURST; i++)
                assertThat(server.raw(wrong("6.6.6." + i + ", 203.0.113.7"))).startsWith("HTTP/1.1 401 ");
            assertThat(server.raw(wrong("6.6.7.1, 203.0.113.7"))).startsWith("HTTP/1.1 429 ");
            assertThat(server.raw(wrong("203.0.113.8"))).startsWith("HTTP/1.1 401 ");
        }
    }

    @Test
    void networks_are_told_apart_bit_by_bit() {
        var networks = new Networks(Set.of("10.0.0.0/9", "192.0.2.1", "2001:db8::/33", "0.0.0.0/32"));
        assertThat(in(networks, "10.127.255.255")).isTrue();
        assertThat(in(networks, "10.128.0.0")).isFalse();
        assertThat(in(networks, "192.0.2.1")).isTrue();
        assertThat(in(networks, "192.0.2.2")).isFalse();
        assertThat(in(networks, "2001:db8:7fff::1")).isTrue();
        assertThat(in(networks, "2001:db8:8000::1")).isFalse();
        assertThat(in(networks, "::1")).isFalse();
        assertThat(in(new Networks(Set.of("0.0.0.0/0")), "8.8.8.8")).isTrue();
        assertThat(in(new Networks(Set.of("0.0.0.0/0")), "::1")).isFalse();
        assertThatThrownBy(() -> new Networks(Set.of("10.0.0.0/33"))).isInstanceOf(IllegalArgumentException.class);
    }

    private static boolean in(Networks networks, String address) {
        return networks.contain(InetAddress.ofLiteral(address));
    }

    private static String wrong(String forwarded) {
        return Raw.request("GET /things", "Authorization: Bearer nonsense", "X-Forwarded-For: " + forwarded);
    }

    private static String ask(String... headers) {
        try (var server = TestServer.with(trusting(), WHERE)) {
            return server.raw(Raw.request("GET /public/where", headers));
        }
    }

    private static HttpSettings trusting() {
        return new HttpSettings(
                "127.0.0.1",
                0,
                Set.of(),
                Set.of(),
                Set.of("127.0.0.1", "10.0.0.0/8"),
                10,
                10,
                Duration.ofMillis(100),
                HttpSettings.HEARTBEAT);
    }
}
