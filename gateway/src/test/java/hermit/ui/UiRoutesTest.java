package hermit.ui;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.access.Caller;
import hermit.access.RoutePolicies;
import hermit.http.Authenticator.Identified;
import hermit.http.HttpServer;
import hermit.http.HttpSettings;
import hermit.http.Raw;
import hermit.http.RequestObserver;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.world.TestWorld;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class UiRoutesTest {
    private static final Pattern NONCE = Pattern.compile("'nonce-([A-Za-z0-9+/=]{24})'");
    private static final Pattern ROUTE = Pattern.compile("<Route\\s+path=\"(/[^\"]*)\"");

    private final HttpServer server = serve(UiFiles.in("/ui-test"));
    private final TestClient client = new TestClient(server.port()).anonymous();

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private static HttpServer serve(UiFiles files) {
        var world = new TestWorld().world();
        return HttpServer.start(
                HttpSettings.on("127.0.0.1", 0),
                List.of(new UiRoutes(files, world.random())),
                RoutePolicies.ofTheGateway(),
                _ -> Identified.of(new Caller.Anonymous()),
                (_, _, _, _) -> Optional.empty(),
                RequestObserver.NOBODY,
                new SimpleMeterRegistry(),
                world);
    }

    static List<String> pages() {
        return UiRoutes.PAGES.stream()
                .map(each -> each.replaceAll("\\{[a-z]+}", "x"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void each_address_of_the_ui_answers_with_the_page(String path) {
        Answer page = client.get(path);
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
        assertThat(page.text()).contains("/assets/page-1.js").doesNotContain("HERMIT_NONCE");
    }

    @Test
    void the_addresses_are_those_of_the_uis_own_router() throws Exception {
        String router = Files.readString(TestBrowser.UI.resolve("src/app/App.tsx"));
        var known = new TreeSet<String>();
        ROUTE.matcher(router).results().forEach(each -> known.add(each.group(1).replaceAll(":([a-z]+)", "{$1}")));
        assertThat(known).containsExactlyInAnyOrderElementsOf(UiRoutes.PAGES);
    }

    @Test
    void scripts_come_from_assets_only_and_styles_need_a_nonce_that_is_new_each_time() {
        Answer first = client.get("/");
        String policy = first.header("Content-Security-Policy");
        assertThat(policy)
                .contains(
                        "default-src 'none'",
                        "script-src 'self';",
                        "connect-src 'self'",
                        "frame-ancestors 'none'",
                        "base-uri 'none'",
                        "form-action 'none'")
                .doesNotContain("unsafe", "data:", "*");
        String nonce = nonce(first);
        assertThat(first.text()).contains("nonce=\"" + nonce + "\"");
        assertThat(nonce(client.get("/"))).isNotEqualTo(nonce);
    }

    private static String nonce(Answer page) {
        var matcher = NONCE.matcher(page.header("Content-Security-Policy"));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    @Test
    void the_page_is_never_kept_and_neither_guessed_at_framed_nor_named_to_others() {
        Answer page = client.get("/agents/main");
        assertThat(page.header("Cache-Control")).isEqualTo("no-store");
        assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(page.header("X-Frame-Options")).isEqualTo("DENY");
        assertThat(page.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(page.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
    }

    @Test
    void assets_are_kept_for_good_and_sent_in_the_smallest_form_that_the_browser_knows() {
        Answer brotli = asset("br, gzip");
        assertThat(brotli.text()).isEqualTo("brotli");
        assertThat(brotli.header("Content-Encoding")).isEqualTo("br");
        assertThat(brotli.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(brotli.header("Vary")).isEqualTo("Accept-Encoding");
        assertThat(brotli.header("Content-Type")).isEqualTo("text/javascript; charset=utf-8");
        assertThat(asset("gzip").text()).isEqualTo("gzip");
        Answer plain = asset("identity");
        assertThat(plain.text()).isEqualTo("plain");
        assertThat(plain.header("Content-Encoding")).isEmpty();
        assertThat(plain.header("Vary")).isEqualTo("Accept-Encoding");
    }

    private Answer asset(String codings) {
        return client.send(client.request("/assets/page-1.js").header("Accept-Encoding", codings));
    }

    @Test
    void only_what_the_build_has_listed_is_an_asset() {
        for (String name : List.of("other.js", "page-1.js.br", "page-2.js", "index.html", "..%2Findex.html"))
            assertThat(client.get("/assets/" + name).status()).as(name).isBetween(400, 404);
    }

    @Test
    void what_is_no_page_is_not_found_and_below_api_there_is_none() {
        for (String path : List.of("/nothing", "/api", "/api/nothing", "/agents/a/b/c/d/e", "/assets", "/index.html")) {
            Answer answer = client.get(path);
            assertThat(answer.status()).as(path).isEqualTo(404);
            assertThat(answer.header("Content-Type")).as(path).startsWith("application/problem+json");
        }
    }

    @Test
    void no_server_and_no_token_is_taken_from_an_address() {
        for (String query : List.of("gatewayUrl=http://evil.example", "token=x"))
            assertThat(client.get("/?" + query).status()).isEqualTo(400);
        assertThat(client.get("/sandboxes?type=docker&q=x").status()).isEqualTo(200);
    }

    @Test
    void a_head_has_no_body() {
        String answer = Raw.exchange(server.port(), Raw.request("HEAD /"));
        assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n");
    }

    @Test
    void a_gateway_that_was_built_without_the_ui_says_so() {
        try (var bare = serve(UiFiles.in("/nothing"));
                var other = new TestClient(bare.port())) {
            Answer answer = other.get("/");
            assertThat(answer.status()).isEqualTo(501);
            assertThat(answer.code()).isEqualTo("not_available");
        }
    }
}
