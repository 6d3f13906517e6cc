package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.access.RoutePolicies;
import hermit.http.Method;
import hermit.http.Raw;
import hermit.http.Route;
import hermit.ui.UiRoutes;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RoutePoliciesTest {
    private final TestGateway gateway = new TestGateway();

    @AfterAll
    void close() {
        gateway.close();
    }

    List<Route> routesThatAskForATokenOrAnswer() {
        return gateway.routes().stream()
                .filter(each -> !(each instanceof UiRoutes))
                .flatMap(each -> each.routes().stream())
                .toList();
    }

    List<Route> routes() {
        return gateway.routes().stream().flatMap(each -> each.routes().stream()).toList();
    }

    @Test
    void the_table_and_the_routes_are_the_same_set() {
        assertThat(routes().stream().map(Route::toString))
                .containsExactlyInAnyOrderElementsOf(
                        RoutePolicies.ofTheGateway().routes());
    }

    @Test
    void only_what_says_nothing_of_anybody_is_public() {
        assertThat(gateway.routes().stream()
                        .filter(each -> !(each instanceof UiRoutes)) // their pages are the same for everybody
                        .flatMap(each -> each.routes().stream())
                        .map(Route::toString)
                        .filter(each -> !each.contains("/api/")))
                .containsExactlyInAnyOrder("GET /health", "GET /ready", "GET /metrics", "GET /openapi.json");
    }

    @ParameterizedTest
    @MethodSource("routesThatAskForATokenOrAnswer")
    void without_a_token_every_route_but_the_public_ones_is_401(Route route) {
        if (route.path().equals("/api/auth/login")) return; // it is where one shows a token
        boolean isPublic = List.of("/health", "/ready", "/openapi.json").contains(route.path());
        String path = route.path().replaceAll("\\{[a-z_]+}", "x");
        String answer = Raw.exchange(
                gateway.port(),
                route.method() == Method.WS
                        ? Raw.handshake(path)
                        : Raw.request(route.method() + " " + path, "Content-Length: 0"));
        assertThat(answer).startsWith(isPublic ? "HTTP/1.1 200 " : "HTTP/1.1 401 ");
    }
}
