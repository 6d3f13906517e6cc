package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.http.Method;
import hermit.http.Raw;
import hermit.http.Route;
import hermit.http.TestClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Every route that changes something, found from the table, against every kind of bad body.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RefusedBodiesTest {
    private static final String JSON = "application/json";

    private final TestGateway gateway = new TestGateway();
    private String execId = "";
    private String session = "";
    private String approval = "";

    @BeforeAll
    void an_agent_with_a_running_command_and_a_session_with_an_approval() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        execId = String.valueOf(gateway.client
                .post("/api/agents/main/sandboxes/default/execs", Map.of("command", "hang", "background", true))
                .object()
                .get("exec_id"));
        String path = gateway.client.post("/api/agents/main/sessions", Map.of()).header("Location");
        session = path.substring(path.lastIndexOf('/') + 1);
        approval = String.valueOf(gateway.client
                .post(path + "/tools/exec", Map.of("command", "echo"))
                .object()
                .get("approval_id"));
    }

    @AfterAll
    void close() {
        gateway.close();
    }

    List<Arguments> cases() {
        var bodies = new LinkedHashMap<String, String>();
        bodies.put("null", "null");
        bodies.put("a list", "[]");
        bodies.put("a number", "5");
        bodies.put("a text", "\"x\"");
        bodies.put("broken JSON", "{\"a\":");
        bodies.put("two documents", "{}{}");
        bodies.put("a key twice", "{\"a\":1,\"a\":1}");
        bodies.put("NaN", "{\"a\":NaN}");
        bodies.put("deep nesting", "{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000));
        bodies.put("deep lists", "{\"a\":" + "[".repeat(20_000));
        bodies.put("a huge number", "{\"a\":1" + "0".repeat(100_000) + "}");
        bodies.put("a huge exponent", "{\"a\":1e999999999}");
        bodies.put("an unknown field", "{\"no_such_field\":1}");
        bodies.put("invalid UTF-8", "{\"a\":\"\u00ff\u00c0\"}");
        bodies.put("half a surrogate pair", "{\"a\":\"\\ud800\"}");
        bodies.put("too much", "{\"a\":\"" + "x".repeat(21 << 20) + "\"}");
        var cases = new ArrayList<Arguments>();
        for (var routes : gateway.routes())
            for (Route route : routes.routes())
                if (takesJson(route))
                    bodies.forEach((name, body) -> cases.add(Arguments.of(route.toString(), name, JSON, body)));
        for (var routes : gateway.routes())
            for (Route route : routes.routes()) {
                if (!takesJson(route)) continue;
                cases.add(Arguments.of(route.toString(), "no type", "", "{}"));
                cases.add(Arguments.of(route.toString(), "another type", "text/plain", "{}"));
                cases.add(Arguments.of(route.toString(), "a form", "application/x-www-form-urlencoded", "a=1"));
            }
        return cases;
    }

    private static boolean takesJson(Route route) {
        return route.method() != Method.GET && route.method() != Method.WS && route.bodyLimit() != Route.UPLOAD;
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("cases")
    void a_bad_body_is_refused_as_a_problem_without_internals(String route, String name, String type, String body) {
        String path = route.replace("{id}", "main")
                .replace("{alias}", "default")
                .replace("{sid}", session)
                .replace("{tool}", "write_file")
                .replace("{approval_id}", approval)
                .replaceAll("\\{[a-z_]+}", execId);
        String answer = Raw.exchange(
                gateway.port(),
                Raw.request(
                                path,
                                "Authorization: Bearer " + TestClient.TOKEN,
                                type.isEmpty() ? "X-No-Type: 1" : "Content-Type: " + type,
                                "Content-Length: " + body.getBytes(StandardCharsets.ISO_8859_1).length)
                        + body);
        assertThat(answer)
                .matches("(?s)HTTP/1.1 " + (type.equals(JSON) ? "(400|413)" : "415") + " .*")
                .contains("Content-Type: application/problem+json")
                .doesNotContainIgnoringCase("exception")
                .doesNotContain("jackson")
                .doesNotContain("hermit.")
                .doesNotContain("jetty");
        assertThat(gateway.client.get("/api/agents/main/sandboxes/default").status())
                .isEqualTo(200);
    }
}
