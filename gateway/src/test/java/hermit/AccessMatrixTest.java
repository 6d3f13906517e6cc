package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People.Someone;
import hermit.access.RoutePolicies;
import hermit.http.Raw;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Who gets past the gate where: every route, for every kind of caller, of agents of every access level. Each request
/// carries a parameter that no route knows. That is looked at right after the gate, so that whoever has passed gets a
/// 400 that names it, and nothing is done.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessMatrixTest {
    /// In the order of the letters below.
    private static final List<String> CALLERS = List.of(
            "anonymous",
            "stranger",
            "guest",
            "user",
            "owner",
            "admin",
            "program",
            "other_program",
            "channel",
            "reader");

    private static final List<String> LEVELS = List.of("private", "protected", "public");

    /// One letter for each caller: `.` passes, `1` 401, `3` 403 forbidden, `j` 403 join_required, `4` 404. One word
    /// where the agent's access level says nothing, or else one each for private, protected and public.
    private static final String TABLE = """
            GET /health ..........
            GET /ready ..........
            GET /openapi.json ..........
            GET /metrics 13333.3333
            GET / ..........
            GET /assets/{file} ..........
            GET /agents ..........
            GET /agents/{id} ..........
            GET /agents/{id}/{tab} ..........
            GET /agents/{id}/sandboxes/{alias} ..........
            GET /agents/{id}/sandboxes/{alias}/{tab} ..........
            GET /agents/{id}/sandboxes/{alias}/terminals/{tid} ..........
            GET /agents/{id}/sessions/{sid} ..........
            GET /sandboxes ..........
            GET /approvals ..........
            GET /approvals/rules ..........
            GET /people ..........
            GET /tokens ..........
            GET /skills ..........
            GET /audit ..........
            GET /system ..........
            GET /api/agents 1.........
            POST /api/agents 1.....3333
            GET /api/agents/{id} 14....344. 1j....333. 13....333.
            DELETE /api/agents/{id} 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/config 1433..344. 1j33..333. 1333..333.
            PUT /api/agents/{id}/config 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/security 1433..344. 1j33..333. 1333..333.
            PUT /api/agents/{id}/security 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/me 14....344. 1j....333. 13....333.
            GET /api/agents/{id}/members 1433..344. 1j33..333. 1333..333.
            POST /api/agents/{id}/members 14.....443 1........3 13.....333
            PUT /api/agents/{id}/members/{user_id} 1433..3443 1j33..3333 1333..3333
            DELETE /api/agents/{id}/members/{user_id} 1433..3443 1j33..3333 1333..3333
            GET /api/users 13333.3333
            POST /api/users 13333.3333
            GET /api/users/{user_id} 13333.3333
            DELETE /api/users/{user_id} 13333.3333
            POST /api/users/{user_id}/identities 13333.3333
            DELETE /api/users/{user_id}/identities 13333.3333
            POST /api/users/{user_id}/merge 13333.3333
            GET /api/tokens 1.....333.
            POST /api/tokens 1.....3333
            DELETE /api/tokens/{token_id} 1.....3333
            POST /api/auth/login ..........
            POST /api/auth/logout 1.........
            POST /api/auth/ticket 1.........
            GET /api/me 1.........
            GET /api/audit 13333.3333
            GET /api/audit/export 13333.3333
            GET /api/audit/verify 13333.3333
            GET /api/agents/{id}/audit 1433..344. 1j33..333. 1333..333.
            GET /api/sandbox-presets 1.....333.
            GET /api/models 1.....333.
            GET /api/sandboxes 13333.3333
            GET /api/sandboxes/leftovers 13333.3333
            POST /api/sandboxes/{uuid}/reclaim 13333.3333
            GET /api/skills 1.....333.
            POST /api/skills/scan 13333.3333
            POST /api/skills/{skill}/enable 13333.3333
            POST /api/skills/{skill}/disable 13333.3333
            GET /api/agents/{id}/skills 1433..344. 1j33..333. 1333..333.
            POST /api/agents/{id}/skills/{skill}/enable 1433..3443 1j33..3333 1333..3333
            POST /api/agents/{id}/skills/{skill}/disable 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes 1433..344. 1j33..333. 1333..333.
            POST /api/agents/{id}/sandboxes 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias} 1433..344. 1j33..333. 1333..333.
            PATCH /api/agents/{id}/sandboxes/{alias} 1433..3443 1j33..3333 1333..3333
            DELETE /api/agents/{id}/sandboxes/{alias} 1433..3443 1j33..3333 1333..3333
            POST /api/agents/{id}/sandboxes/{alias}/start 1433..3443 1j33..3333 1333..3333
            POST /api/agents/{id}/sandboxes/{alias}/stop 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias}/execs 1433..344. 1j33..333. 1333..333.
            POST /api/agents/{id}/sandboxes/{alias}/execs 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id} 1433..344. 1j33..333. 1333..333.
            DELETE /api/agents/{id}/sandboxes/{alias}/execs/{exec_id} 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/events 1433..344. 1j33..333. 1333..333.
            POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/stdin 1433..3443 1j33..3333 1333..3333
            POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/signal 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias}/terminals 1433..344. 1j33..333. 1333..333.
            POST /api/agents/{id}/sandboxes/{alias}/terminals 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias}/terminals/{tid} 1433..344. 1j33..333. 1333..333.
            DELETE /api/agents/{id}/sandboxes/{alias}/terminals/{tid} 1433..3443 1j33..3333 1333..3333
            WS /api/agents/{id}/sandboxes/{alias}/terminals/{tid} 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias}/files 1433..344. 1j33..333. 1333..333.
            PUT /api/agents/{id}/sandboxes/{alias}/files 1433..3443 1j33..3333 1333..3333
            DELETE /api/agents/{id}/sandboxes/{alias}/files 1433..3443 1j33..3333 1333..3333
            GET /api/agents/{id}/sandboxes/{alias}/files/list 1433..344. 1j33..333. 1333..333.
            GET /api/agents/{id}/sandboxes/{alias}/files/stat 1433..344. 1j33..333. 1333..333.
            GET /api/agents/{id}/sandboxes/{alias}/files/archive 1433..344. 1j33..333. 1333..333.
            PUT /api/agents/{id}/sandboxes/{alias}/files/archive 1433..3443 1j33..3333 1333..3333
            POST /api/agents/{id}/sandboxes/{alias}/files/mkdir 1433..3443 1j33..3333 1333..3333
            POST /api/agents/{id}/sandboxes/{alias}/files/move 1433..3443 1j33..3333 1333..3333
            GET /api/approvals 1.....333.
            GET /api/agents/{id}/approvals 1433..344. 1j33..333. 1333..333.
            GET /api/approvals/events 1.....333.
            GET /api/approvals/{approval_id} 1.....333.
            POST /api/approvals/{approval_id}/decision 1.....3333
            GET /api/approval-rules 1.....333.
            DELETE /api/approval-rules/{rule_id} 1.....3333
            GET /api/agents/{id}/sessions 14.....44. 1j.....4.. 1......4..
            POST /api/agents/{id}/sessions 14.....443 1j.....4.3 1......4.3
            GET /api/agents/{id}/sessions/{sid} 14.....44. 1j.....4.. 1......4..
            DELETE /api/agents/{id}/sessions/{sid} 14.....443 1j.....4.3 1......4.3
            POST /api/agents/{id}/sessions/{sid}/end 14.....443 1j.....4.3 1......4.3
            GET /api/agents/{id}/sessions/{sid}/messages 14.....44. 1j.....4.. 1......4..
            POST /api/agents/{id}/sessions/{sid}/messages 14.....443 1j.....4.3 1......4.3
            GET /api/agents/{id}/sessions/{sid}/turns/{turn_id} 14.....44. 1j.....4.. 1......4..
            GET /api/agents/{id}/sessions/{sid}/events 14.....44. 1j.....4.. 1......4..
            POST /api/agents/{id}/sessions/{sid}/tools/{tool} 14.....443 1j.....4.3 1......4.3
            POST /api/agents/{id}/sessions/{sid}/cancel 14.....443 1j.....4.3 1......4.3
            WS /api/agents/{id}/ws 14.....44. 1j.....4.. 1......4..
            GET /api/agents/{id}/mcp 14.....44. 1j.....4.. 1......4..
            POST /api/agents/{id}/mcp 14.....443 1j.....4.3 1......4.3
            DELETE /api/agents/{id}/mcp 14.....443 1j.....4.3 1......4.3
            """;

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);
    /// By access level, and then by kind of caller.
    private final Map<String, Map<String, Optional<Someone>>> cast = new LinkedHashMap<>();

    @BeforeAll
    void everybody() {
        var stranger = people.person("stranger");
        var guest = people.person("guest");
        var user = people.person("user");
        var owner = people.person("owner");
        var reader = people.reading(owner);
        var channel = people.channel("telegram");
        gateway.client.post("/api/agents", Map.of("id", "other"));
        var otherProgram = people.program("other");
        for (String level : LEVELS) {
            people.agent("agent-" + level, level);
            people.join("agent-" + level, guest, "guest");
            people.join("agent-" + level, user, "user");
            people.join("agent-" + level, owner, "owner");
            var here = new LinkedHashMap<String, Optional<Someone>>();
            here.put("anonymous", Optional.empty());
            here.put("stranger", Optional.of(stranger));
            here.put("guest", Optional.of(guest));
            here.put("user", Optional.of(user));
            here.put("owner", Optional.of(owner));
            here.put("admin", Optional.of(new Someone("admin", hermit.http.TestClient.TOKEN, gateway.client)));
            here.put("program", Optional.of(people.program("agent-" + level)));
            here.put("other_program", Optional.of(otherProgram));
            here.put("channel", Optional.of(channel));
            here.put("reader", Optional.of(reader));
            cast.put(level, here);
        }
    }

    @AfterAll
    void close() {
        gateway.close();
    }

    @Test
    void every_route_has_a_line_here() {
        assertThat(table().keySet())
                .containsExactlyInAnyOrderElementsOf(
                        RoutePolicies.ofTheGateway().routes());
    }

    List<String> routes() {
        return List.copyOf(RoutePolicies.ofTheGateway().routes());
    }

    @ParameterizedTest
    @MethodSource("routes")
    void who_passes_is_as_it_is_written(String route) {
        List<String> expected = table().getOrDefault(route, List.of());
        var found = new ArrayList<String>();
        for (String level : LEVELS) {
            var word = new StringBuilder();
            for (String each : CALLERS) {
                var caller = cast.get(level).get(each);
                word.append(letter(ask(route, "agent-" + level, caller.map(Someone::token))));
            }
            found.add(word.toString());
        }
        assertThat(found)
                .isEqualTo(
                        expected.size() == 1
                                ? List.of(expected.getFirst(), expected.getFirst(), expected.getFirst())
                                : expected);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void a_private_agent_is_to_strangers_what_one_is_that_is_not_there(String route) {
        if (!route.contains("/agents/{id}")) return;
        // Whom a channel speaks for is only known when a session is opened: there it is the handler that answers alike.
        boolean forChannels = !route.contains("/sessions");
        for (String each : List.of("stranger", "other_program", "channel")) {
            if (each.equals("channel") && !forChannels) continue;
            var token = cast.get("private").get(each).map(Someone::token);
            String hidden = ask(route, "agent-private", token);
            String absent = ask(route, "agent-neither", token);
            assertThat(hidden).startsWith("HTTP/1.1 404 ").contains("No such agent");
            assertThat(hidden.replace("agent-private", "ID")).isEqualTo(absent.replace("agent-neither", "ID"));
        }
    }

    private String ask(String route, String agent, Optional<String> token) {
        String path = route.substring(route.indexOf(' ') + 1)
                        .replace("{id}", agent)
                        .replace("{alias}", "default")
                        .replaceAll("\\{[a-z_]+}", new UUID(1, 1).toString())
                + "?no_such_parameter=1";
        var headers = new ArrayList<>(List.of("X-Request-Id: same", "Content-Length: 0"));
        token.ifPresent(each -> headers.add("Authorization: Bearer " + each));
        String[] all = headers.toArray(String[]::new);
        return Raw.exchange(
                        gateway.port(),
                        route.startsWith("WS ")
                                ? Raw.handshake(path, all)
                                : Raw.request(route.substring(0, route.indexOf(' ')) + " " + path, all))
                .replaceAll("(?m)^Date: .*\\R", "");
    }

    private static String letter(String answer) {
        if (answer.startsWith("HTTP/1.1 400 ") && answer.contains("no_such_parameter")) return ".";
        if (answer.startsWith("HTTP/1.1 401 ")) return "1";
        if (answer.startsWith("HTTP/1.1 403 ")) return answer.contains("\"code\":\"join_required\"") ? "j" : "3";
        if (answer.startsWith("HTTP/1.1 404 ")) return "4";
        return answer;
    }

    private static Map<String, List<String>> table() {
        var table = new LinkedHashMap<String, List<String>>();
        TABLE.lines().forEach(line -> {
            var words = List.of(line.split(" ", -1));
            table.put(words.get(0) + " " + words.get(1), words.subList(2, words.size()));
        });
        return table;
    }
}
