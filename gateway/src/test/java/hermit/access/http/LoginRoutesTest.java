package hermit.access.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import hermit.http.Raw;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestSocket;
import hermit.identity.Logins;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class LoginRoutesTest {
    private static final String LOGIN = "/api/auth/login";
    private static final String LOGOUT = "/api/auth/logout";

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);
    private final TestClient page = gateway.client.anonymous();
    private String origin = "";

    @BeforeEach
    void an_agent() {
        people.agent("main", "private");
        origin = "http://127.0.0.1:" + gateway.port();
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_login_gives_a_cookie_that_no_script_reads_and_no_other_site_sends() {
        var answer = page.post(LOGIN, Map.of("token", TestClient.TOKEN));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.object()).containsEntry("kind", "admin");
        assertThat(answer.header("Set-Cookie"))
                .matches("hermit_login=hlt_[A-Za-z0-9_-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
        assertThat(answer.text()).doesNotContain("hlt_").doesNotContain(TestClient.TOKEN);
        assertThat(get("/api/me", cookie(answer)).object()).containsEntry("kind", "admin");
    }

    @Test
    void a_person_logs_in_and_programs_do_not() {
        var ada = people.person("Ada");
        var answer = page.post(LOGIN, Map.of("token", ada.token()));
        assertThat(get("/api/me", cookie(answer)).object()).containsEntry("caller", "user:" + ada.id());
        for (var each : List.of(people.channel("telegram"), people.program("main"))) {
            var refused = page.post(LOGIN, Map.of("token", each.token()));
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.header("Set-Cookie")).isEmpty();
        }
    }

    @Test
    void wrong_tokens_are_counted_also_here() {
        for (int i = 0; i < 20; i++) {
            var answer = page.post(LOGIN, Map.of("token", "hut_wrong" + i));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.text()).doesNotContain("hut_wrong");
            assertThat(answer.header("Set-Cookie")).isEmpty();
        }
        var limited = page.post(LOGIN, Map.of("token", TestClient.TOKEN));
        assertThat(limited.status()).isEqualTo(429);
        assertThat(limited.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void with_a_cookie_nothing_is_changed_without_origin_and_mark() {
        String cookie = cookie(page.post(LOGIN, Map.of("token", TestClient.TOKEN)));
        String[][] refused = {
            {},
            {"Origin", origin},
            {"X-Hermit-CSRF", "1"},
            {"Origin", "null", "X-Hermit-CSRF", "1"},
            {"Origin", "https://evil.example", "X-Hermit-CSRF", "1"},
            {"Origin", origin + ".evil.example", "X-Hermit-CSRF", "1"},
        };
        for (String[] headers : refused)
            assertThat(create("another", cookie, headers).status())
                    .as(String.join(" ", headers))
                    .isEqualTo(403);
        assertThat(gateway.client.get("/api/agents/another").status()).isEqualTo(404);
        assertThat(create("another", cookie, "Origin", origin, "X-Hermit-CSRF", "1")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void a_form_of_another_site_does_nothing() {
        String cookie = cookie(page.post(LOGIN, Map.of("token", TestClient.TOKEN)));
        String body = "id=evil";
        String answer = Raw.exchange(
                gateway.port(),
                Raw.request(
                                "POST /api/agents",
                                "Cookie: " + cookie,
                                "Content-Type: application/x-www-form-urlencoded",
                                "Origin: https://evil.example",
                                "Content-Length: " + body.length())
                        + body);
        assertThat(answer).startsWith("HTTP/1.1 403 ");
        assertThat(answer).doesNotContain("Access-Control-");
    }

    @Test
    void a_preflight_of_another_site_allows_nothing() {
        String answer = Raw.exchange(
                gateway.port(),
                Raw.request(
                        "OPTIONS /api/agents",
                        "Origin: https://evil.example",
                        "Access-Control-Request-Method: POST",
                        "Access-Control-Request-Headers: x-hermit-csrf"));
        assertThat(answer).startsWith("HTTP/1.1 4").doesNotContain("Access-Control-");
    }

    @Test
    void a_logout_ends_the_login_and_takes_the_cookie_away() {
        String cookie = cookie(page.post(LOGIN, Map.of("token", TestClient.TOKEN)));
        var answer = page.send(page.request(LOGOUT)
                .header("Cookie", cookie)
                .header("Origin", origin)
                .header("X-Hermit-CSRF", "1")
                .POST(BodyPublishers.noBody()));
        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header("Set-Cookie")).startsWith("hermit_login=; Path=/; Max-Age=0;");
        assertThat(get("/api/me", cookie).status()).isEqualTo(401);
    }

    @Test
    void a_login_ends_after_twelve_hours_and_with_its_token() {
        var ada = people.person("Ada");
        String first = cookie(page.post(LOGIN, Map.of("token", ada.token())));
        gateway.time.advance(Duration.ofHours(12).minusSeconds(1));
        String second = cookie(page.post(LOGIN, Map.of("token", ada.token())));
        assertThat(get("/api/me", first).status()).isEqualTo(200);
        gateway.time.advance(Duration.ofSeconds(1));
        assertThat(get("/api/me", first).status()).isEqualTo(401);
        assertThat(get("/api/me", second).status()).isEqualTo(200);
        gateway.client.delete("/api/users/" + ada.id());
        assertThat(get("/api/me", second).status()).isEqualTo(401);
    }

    @Test
    void a_cookie_of_a_login_that_has_ended_does_not_keep_one_from_logging_in_again() {
        String cookie = cookie(page.post(LOGIN, Map.of("token", TestClient.TOKEN)));
        gateway.time.advance(Duration.ofHours(13));
        assertThat(get("/health", cookie).status()).isEqualTo(200);
        var again = page.send(page.request(LOGIN)
                .header("Cookie", cookie)
                .header("Origin", origin)
                .header("X-Hermit-CSRF", "1")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"token\":\"" + TestClient.TOKEN + "\"}")));
        assertThat(again.status()).isEqualTo(200);
        assertThat(get("/api/me", cookie(again)).status()).isEqualTo(200);
    }

    @Test
    void a_token_in_an_address_is_no_credential() {
        for (String query : List.of("token", "access_token", "ticket", "authorization"))
            assertThat(page.get("/api/me?" + query + "=" + TestClient.TOKEN).status())
                    .isEqualTo(401);
    }

    @Test
    void a_ticket_opens_its_own_terminal_once() throws Exception {
        String terminal = terminal();
        String ticket = ticket(terminal);
        try (var viewer = TestSocket.openAsPage(gateway.port(), terminal + "?ticket=" + ticket)) {
            viewer.message("replay");
        }
        assertThat(opens(terminal + "?ticket=" + ticket)).isEqualTo(401);
    }

    @Test
    void a_ticket_opens_no_other_path_and_nothing_after_thirty_seconds() {
        String terminal = terminal();
        String another = terminal();
        String ticket = ticket(terminal);
        assertThat(opens(another + "?ticket=" + ticket)).isEqualTo(401);
        assertThat(page.get(terminal + "?ticket=" + ticket).status()).isEqualTo(401);
        assertThat(page.get("/api/me?ticket=" + ticket).status()).isEqualTo(401);
        gateway.time.advance(Duration.ofSeconds(30));
        assertThat(opens(terminal + "?ticket=" + ticket)).isEqualTo(401);
    }

    @Test
    void a_ticket_is_worth_no_more_than_who_asked_for_it() {
        String terminal = terminal();
        var stranger = people.person("Eve");
        var reader = people.reading(people.member("main", "owner"));
        assertThat(opens(terminal + "?ticket=" + ticket(stranger.client(), terminal)))
                .isEqualTo(404);
        assertThat(opens(terminal + "?ticket=" + ticket(reader.client(), terminal)))
                .isEqualTo(403);
        var owner = people.member("main", "owner");
        String ticket = ticket(owner.client(), terminal);
        String token = String.valueOf(
                owner.client().get("/api/tokens").items().getFirst().get("id"));
        gateway.client.delete("/api/tokens/" + token);
        assertThat(opens(terminal + "?ticket=" + ticket)).isEqualTo(401);
    }

    @Test
    void a_cookie_alone_opens_no_terminal_from_whatever_page() {
        String terminal = terminal();
        String cookie = cookie(page.post(LOGIN, Map.of("token", TestClient.TOKEN)));
        for (String from : List.of("https://evil.example", "null", origin + ".evil.example", origin)) {
            String answer =
                    Raw.exchange(gateway.port(), Raw.handshake(terminal, "Cookie: " + cookie, "Origin: " + from));
            assertThat(answer).as(from).startsWith("HTTP/1.1 403 ");
        }
        assertThat(Raw.exchange(gateway.port(), Raw.handshake(terminal, "Cookie: " + cookie)))
                .startsWith("HTTP/1.1 403 ");
    }

    @ParameterizedTest
    @EnumSource(EndOfLogin.class)
    void what_a_login_has_open_ends_with_it_and_nothing_else_does(EndOfLogin end) throws Exception {
        var owner = people.member("main", "owner");
        String cookie = cookie(page.post(LOGIN, Map.of("token", owner.token())));
        String session =
                owner.client().post("/api/agents/main/sessions", Map.of()).header("Location");
        owner.client().post(session + "/messages", Map.of("text", "hello"));
        String terminal = terminal();
        String ws = "/api/agents/main/ws";
        try (var stream = new Raw(gateway.port());
                var byTicket = new Raw(gateway.port());
                var byToken = new Raw(gateway.port());
                var look = TestSocket.openAsPage(gateway.port(), terminal + "?ticket=" + ticket(cookie, terminal));
                var rpc = TestSocket.openAsPage(gateway.port(), ws + "?ticket=" + ticket(cookie, ws))) {
            stream.send(Raw.request("GET " + session + "/events", "Cookie: " + cookie));
            byTicket.send(Raw.request("GET " + session + "/events?ticket=" + ticket(cookie, session + "/events")));
            byToken.send(Raw.request("GET " + session + "/events", "Authorization: Bearer " + owner.token()));
            for (var each : List.of(stream, byTicket, byToken)) each.readUntil("event: user_message\n");
            look.message("replay");
            String unused = ticket(cookie, ws);
            gateway.recheckStreams();
            end.act.accept(this, cookie);
            gateway.recheckStreams();

            assertThat(look.closed()).isEqualTo(1_008);
            assertThat(rpc.closed()).isEqualTo(1_008);
            for (var each : List.of(stream, byTicket))
                assertThat(each.readToEnd()).contains("event: error\n").contains("\"status\":401");
            assertThat(opens(ws + "?ticket=" + unused)).isEqualTo(401);
            owner.client().post(session + "/messages", Map.of("text", "still here"));
            byToken.readUntil("still here");
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // what its constants do has no state
    enum EndOfLogin {
        LOGOUT((test, cookie) -> test.logout(cookie)),
        EXPIRY((test, _) -> test.gateway.time.advance(Logins.LASTS));

        private final BiConsumer<LoginRoutesTest, String> act;

        EndOfLogin(BiConsumer<LoginRoutesTest, String> act) {
            this.act = act;
        }
    }

    private void logout(String cookie) {
        assertThat(changing("/api/auth/logout", cookie, "").status()).isEqualTo(204);
    }

    private String ticket(String cookie, String path) {
        return String.valueOf(changing("/api/auth/ticket", cookie, "{\"path\":\"" + path + "\"}")
                .object()
                .get("ticket"));
    }

    /// As a page of the gateway's own sends it.
    private Answer changing(String path, String cookie, String body) {
        return page.send(page.request(path)
                .header("Cookie", cookie)
                .header("Content-Type", "application/json")
                .headers("Origin", origin, "X-Hermit-CSRF", "1")
                .POST(BodyPublishers.ofString(body)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"path\":\"/health\"}",
                "{\"path\":\"https://evil.example/api/x\"}",
                "{\"path\":\"/api/x?ticket=1\"}",
                "{\"path\":\"/api/a b\"}"
            })
    void a_ticket_for_what_is_no_path_of_the_api_is_refused(String document) {
        var answer = gateway.client.send("POST", "/api/auth/ticket", document);
        assertThat(answer.paths()).containsExactly("path");
    }

    private String terminal() {
        return gateway.client
                .post("/api/agents/main/sandboxes/default/terminals", Map.of())
                .header("Location");
    }

    private String ticket(String path) {
        return ticket(gateway.client, path);
    }

    private static String ticket(TestClient client, String path) {
        return String.valueOf(
                client.post("/api/auth/ticket", Map.of("path", path)).object().get("ticket"));
    }

    /// The status that a page gets that would open a WebSocket.
    private int opens(String path) {
        String answer = Raw.exchange(gateway.port(), Raw.handshake(path, "Origin: http://localhost"));
        return Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 ".length() + 3));
    }

    private Answer get(String path, String cookie) {
        return page.send(page.request(path).header("Cookie", cookie));
    }

    private Answer create(String id, String cookie, String... headers) {
        var request = page.request("/api/agents")
                .header("Cookie", cookie)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"id\":\"" + id + "\"}"));
        if (headers.length > 0) request.headers(headers);
        return page.send(request);
    }

    private static String cookie(Answer login) {
        return login.header("Set-Cookie").replaceAll(";.*", "");
    }
}
