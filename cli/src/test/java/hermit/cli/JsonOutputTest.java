package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/// With `--json`, stdout is exactly one valid document, whatever happens.
class JsonOutputTest extends CliTest {
    /// Arguments for every command that there is. A test below fails when one is missing here.
    private static final Map<String, List<String>> EVERY = new TreeMap<>(Map.ofEntries(
            Map.entry("quickstart", List.of()),
            Map.entry("doctor", List.of()),
            Map.entry("rehearse", List.of("--calls")),
            Map.entry("gateway run", List.of()),
            Map.entry("gateway start", List.of()),
            Map.entry("gateway stop", List.of()),
            Map.entry("gateway status", List.of()),
            Map.entry("chat", List.of("-m", "hello")),
            Map.entry("agents list", List.of()),
            Map.entry("agents create", List.of("main")),
            Map.entry("agents show", List.of("main")),
            Map.entry("agents delete", List.of("main")),
            Map.entry("sandbox list", List.of()),
            Map.entry("sandbox add", List.of("--type", "docker")),
            Map.entry("sandbox remove", List.of("default")),
            Map.entry("sandbox start", List.of()),
            Map.entry("sandbox stop", List.of()),
            Map.entry("sandbox exec", List.of("--", "true")),
            Map.entry("sandbox shell", List.of()),
            Map.entry("sandbox ps", List.of()),
            Map.entry("sandbox logs", List.of("x")),
            Map.entry("sandbox kill", List.of("x")),
            Map.entry("presets list", List.of()),
            Map.entry("sandbox leftovers", List.of()),
            Map.entry("sandbox reclaim", List.of("x")),
            Map.entry("skills list", List.of()),
            Map.entry("skills scan", List.of()),
            Map.entry("skills enable", List.of("pdf")),
            Map.entry("skills disable", List.of("pdf")),
            Map.entry("sandbox cp", List.of("default:a", "b")),
            Map.entry("config show", List.of()),
            Map.entry("config get", List.of("server.port")),
            Map.entry("config set", List.of("server.port", "4001")),
            Map.entry("config security show", List.of()),
            Map.entry("config security get", List.of("access")),
            Map.entry("config security set", List.of("access", "private")),
            Map.entry("config security write", List.of("-")),
            Map.entry("login", List.of()),
            Map.entry("logout", List.of()),
            Map.entry("whoami", List.of()),
            Map.entry("users list", List.of()),
            Map.entry("users create", List.of("Ann")),
            Map.entry("users show", List.of("u")),
            Map.entry("users delete", List.of("u")),
            Map.entry("users merge", List.of("u", "--into", "v")),
            Map.entry("users identities add", List.of("u", "--channel", "irc", "--channel-user-id", "ann")),
            Map.entry("users identities remove", List.of("u", "--channel", "irc", "--channel-user-id", "ann")),
            Map.entry("tokens list", List.of()),
            Map.entry("tokens create", List.of("laptop")),
            Map.entry("tokens revoke", List.of("t")),
            Map.entry("members list", List.of()),
            Map.entry("members add", List.of("u", "--role", "user")),
            Map.entry("members set", List.of("u", "--role", "user")),
            Map.entry("members remove", List.of("u")),
            Map.entry("members join", List.of()),
            Map.entry("sessions list", List.of()),
            Map.entry("sessions open", List.of()),
            Map.entry("sessions show", List.of("s")),
            Map.entry("sessions events", List.of("s")),
            Map.entry("sessions end", List.of("s")),
            Map.entry("sessions delete", List.of("s")),
            Map.entry("approvals list", List.of()),
            Map.entry("approvals show", List.of("p")),
            Map.entry("approvals watch", List.of()),
            Map.entry("approvals approve", List.of("p")),
            Map.entry("approvals deny", List.of("p")),
            Map.entry("approvals rules list", List.of()),
            Map.entry("approvals rules revoke", List.of("r")),
            Map.entry("audit list", List.of()),
            Map.entry("audit export", List.of()),
            Map.entry("audit verify", List.of()),
            Map.entry("mcp", List.of()),
            Map.entry("image build", List.of()),
            Map.entry("completion", List.of("bash"))));

    /// What is sent to those that read it.
    private static final Map<String, String> STDIN =
            Map.of("login", "hut_x", "members join", "open sesame", "config security write", "{}");

    /// Those that need more than a gateway that answers: a terminal, root, a process of their own; or that
    /// end only when they are refused.
    private static final Set<String> UNFIT = Set.of(
            "quickstart",
            "doctor",
            "gateway start",
            "gateway stop",
            "gateway status",
            "sandbox shell",
            "sandbox cp",
            "image build",
            "approvals watch");

    /// Those whose stdout is another program's, or a protocol of somebody else's.
    private static final List<String> PASSED_ON = List.of("gateway run", "mcp");

    static List<String> commands() {
        return EVERY.keySet().stream().filter(name -> !PASSED_ON.contains(name)).toList();
    }

    @Test
    void every_command_is_tried_here() {
        var surroundings = surroundings(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        var found = new TreeSet<String>();
        leaves("", Commands.about(new CliContext(surroundings, new Output(surroundings))), found);
        assertThat(found).isEqualTo(EVERY.keySet());
    }

    private static void leaves(String prefix, CommandLine commandLine, Set<String> found) {
        commandLine.getSubcommands().forEach((name, sub) -> {
            if (sub.getSubcommands().isEmpty()) found.add(prefix + name);
            else leaves(prefix + name + " ", sub, found);
        });
    }

    private Ended json(String command, String... more) {
        var args = new ArrayList<String>(List.of(command.split(" ", -1)));
        args.add("--json");
        args.addAll(EVERY.getOrDefault(command, List.of()));
        args.addAll(List.of(more));
        return hermit(args.toArray(String[]::new));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void with_a_gateway_that_refuses(String command) throws Exception {
        launcher("exit 78");
        assertThat(json(command).json().isContainerNode()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void with_a_gateway_that_answers(String command) throws Exception {
        launcher("[ \"$2\" != check-config ] || echo '{\"server\":{\"port\":4000}}'");
        gateway.on(
                        "GET /api/agents?limit=1000",
                        200,
                        "{\"items\":[{\"id\":\"main\",\"name\":\"Main\"}],\"next_cursor\":null}")
                .on("POST /api/agents", 201, "{\"id\":\"main\"}")
                .on("GET /api/agents/main", 200, "{\"id\":\"main\"}")
                .on("DELETE /api/agents/main", 204, "")
                .on(
                        "GET /api/agents/main/sandboxes?limit=1000",
                        200,
                        "{\"items\":[{\"alias\":\"default\",\"runtime\":null}],\"next_cursor\":null}")
                .on("POST /api/agents/main/sandboxes", 201, "{\"alias\":\"default\"}")
                .on("DELETE /api/agents/main/sandboxes/default", 204, "")
                .on("POST /api/agents/main/sandboxes/default/start", 200, "{\"alias\":\"default\"}")
                .on("POST /api/agents/main/sandboxes/default/stop", 204, "")
                .on("GET /api/sandbox-presets", 200, "{\"presets\":{},\"auto_provision_sandbox\":null}")
                .on("GET /api/agents/main/sandboxes/default/execs/x", 200, "{\"exec_id\":\"x\",\"state\":\"ended\"}")
                .on("DELETE /api/agents/main/sandboxes/default/execs/x", 202, "{}")
                .on(
                        "GET /api/agents/main/sandboxes/default/execs/x?encoding=utf8&stdout_offset=0&stderr_offset=0",
                        200,
                        "{\"exec_id\":\"x\"}")
                .on(
                        "GET /api/agents/main/sandboxes/default/execs?limit=1000&open=true",
                        200,
                        "{\"items\":[{\"exec_id\":\"x\"}],\"next_cursor\":null}")
                .on("GET /api/sandboxes/leftovers", 200, "{\"items\":[],\"next_cursor\":null,\"unreachable\":[]}")
                .on("POST /api/sandboxes/x/reclaim", 200, "{\"items\":[],\"next_cursor\":null,\"unreachable\":[]}")
                .on("GET /api/agents/main/skills", 200, "{\"items\":[],\"next_cursor\":null}")
                .on("POST /api/skills/scan", 200, "{\"added\":[],\"changed\":[],\"removed\":[],\"refused\":[]}")
                .on("POST /api/agents/main/skills/pdf/enable", 204, "")
                .on("POST /api/agents/main/skills/pdf/disable", 204, "")
                .on("GET /ready", 200, "{}")
                .on("GET /api/agents/main/security", 200, "{\"access\":\"public\",\"access_token_set\":true}")
                .on("PUT /api/agents/main/security", 200, "{\"access\":\"private\",\"access_token_set\":true}")
                .on("GET /api/me", 200, "{\"caller\":\"admin\"}")
                .on("GET /api/users?limit=1000", 200, list("{\"id\":\"u\"}"))
                .on("POST /api/users", 201, "{\"id\":\"u\"}")
                .on("GET /api/users/u", 200, "{\"id\":\"u\"}")
                .on("DELETE /api/users/u", 204, "")
                .on("POST /api/users/u/merge", 200, "{\"id\":\"v\"}")
                .on("POST /api/users/u/identities", 200, "{\"id\":\"u\"}")
                .on("DELETE /api/users/u/identities?channel=irc&channel_user_id=ann", 200, "{\"id\":\"u\"}")
                .on("GET /api/tokens?limit=1000", 200, list("{\"id\":\"t\"}"))
                .on("POST /api/tokens", 201, "{\"id\":\"t\",\"secret\":\"s\"}")
                .on("DELETE /api/tokens/t", 204, "")
                .on("GET /api/agents/main/members?limit=1000", 200, list("{\"role\":\"user\"}"))
                .on("POST /api/agents/main/members", 200, "{\"role\":\"user\"}")
                .on("PUT /api/agents/main/members/u", 200, "{\"role\":\"user\"}")
                .on("DELETE /api/agents/main/members/u", 204, "")
                .on("GET /api/agents/main/sessions?limit=1000", 200, list("{\"session_id\":\"s\"}"))
                .on("POST /api/agents/main/sessions", 201, "{\"session_id\":\"s\"}")
                .on("GET /api/agents/main/sessions/s", 200, "{\"session_id\":\"s\",\"last_event_id\":1}")
                .events(
                        "GET /api/agents/main/sessions/s/events",
                        FakeGateway.event("1", "notice", "{\"id\":1,\"data\":{}}"),
                        FakeGateway.event("2", "turn_end", "{\"id\":2,\"data\":{\"turn_id\":\"t\"}}"))
                .on("POST /api/agents/main/sessions/s/end", 200, "{\"session_id\":\"s\"}")
                .on("DELETE /api/agents/main/sessions/s", 204, "")
                .on("POST /api/agents/main/sessions/s/messages", 201, "{\"id\":1,\"data\":{\"turn_id\":\"t\"}}")
                .on(
                        "GET /api/agents/main/sessions/s/turns/t",
                        200,
                        "{\"id\":\"t\",\"reason\":\"done\",\"text\":\"hi\"}")
                .on("GET /api/approvals?limit=1000&state=pending", 200, list("{\"id\":\"p\"}"))
                .on("GET /api/approvals/p", 200, "{\"id\":\"p\"}")
                .events("GET /api/approvals/events", FakeGateway.event("error", "{\"status\":403,\"detail\":\"no\"}"))
                .on("POST /api/approvals/p/decision", 200, "{\"id\":\"p\"}")
                .on("GET /api/approval-rules?limit=1000", 200, list("{\"id\":\"r\"}"))
                .on("DELETE /api/approval-rules/r", 204, "")
                .on("GET /api/audit?limit=50", 200, list("{\"who\":\"admin\"}"))
                .on("GET /api/audit/export", 200, "{\"end\":true,\"records\":0}\n")
                .on("GET /api/audit/verify", 200, "{\"state\":\"intact\",\"chains\":[]}")
                .events(
                        "POST /api/agents/main/sandboxes/default/execs",
                        FakeGateway.event("start", "{\"exec_id\":\"x\"}"),
                        FakeGateway.event("end", "{\"end_reason\":\"exited\",\"exit_code\":0}"));
        typed(STDIN.getOrDefault(command, ""));
        var ended = json(command);
        assertThat(ended.json().isMissingNode()).isFalse();
        if (!UNFIT.contains(command)) assertThat(ended.code()).as(ended.err()).isZero();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void with_no_gateway(String command) {
        gateway.close();
        assertThat(json(command).json().isContainerNode()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void with_wrong_arguments(String command) {
        var args = new ArrayList<String>(List.of(command.split(" ", -1)));
        args.addAll(List.of("--nonsense", "--json"));
        var ended = hermit(args.toArray(String[]::new));
        assertThat(ended.json().path("code").asText()).isEqualTo("usage");
        assertThat(ended.err()).startsWith("hermit: ").contains(command + " --help");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void with_a_question_for_help(String command) {
        var args = new ArrayList<String>(List.of("--json"));
        args.addAll(List.of(command.split(" ", -1)));
        args.add("--help");
        assertThat(hermit(args.toArray(String[]::new)).json().path("help").asText())
                .contains(command);
    }

    @Test
    void a_problem_of_the_gateway_is_printed_as_it_came() {
        gateway.on(
                "GET /api/agents/x",
                404,
                "{\"status\":404,\"code\":\"not_found\",\"detail\":\"no agent 'x'\",\"errors\":[]}");
        var ended = hermit("agents", "show", "x", "--json");
        assertThat(ended.json().toString())
                .isEqualTo("{\"status\":404,\"code\":\"not_found\",\"detail\":\"no agent 'x'\",\"errors\":[]}");
        assertThat(ended.err()).isEqualTo("hermit: no agent 'x'\n");
    }

    @Test
    void version_and_the_word_alone() {
        env.put("HERMIT_VERSION", "1.2.3");
        assertThat(hermit("--json", "--version").json().path("version").asText())
                .isEqualTo("1.2.3");
        assertThat(hermit("--json").json().path("code").asText()).isEqualTo("usage");
        assertThat(hermit("--json", "nonsense").json().path("code").asText()).isEqualTo("usage");
    }
}
