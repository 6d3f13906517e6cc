package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentsAndSandboxesTest extends CliTest {
    @ParameterizedTest
    @CsvSource({"400,1", "401,1", "404,1", "409,1", "429,1", "500,4", "501,4", "502,4", "503,4"})
    void an_answer_of_the_gateway_becomes_an_exit_code(int status, int code) {
        gateway.problem("GET /api/agents?limit=1000", status, "whatever", "because");
        var ended = hermit("agents", "list");
        assertThat(ended.code()).isEqualTo(code);
        assertThat(ended.err()).isEqualTo("hermit: because\n");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void no_gateway_is_3() {
        gateway.close();
        var ended = hermit("agents", "list");
        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.err()).contains(gateway.url());
    }

    @Test
    void something_else_that_answers_is_no_gateway() {
        gateway.on("GET /api/agents?limit=1000", exchange -> FakeGateway.send(exchange, 200, "text/html", "<html>"));
        assertThat(hermit("agents", "list").code()).isEqualTo(3);
        gateway.on("GET /api/agents?limit=1000", exchange -> FakeGateway.send(exchange, 502, "text/html", "<html>"));
        assertThat(hermit("agents", "list").code()).isEqualTo(4);
    }

    @Test
    void a_list_is_read_to_its_last_page() {
        gateway.on(
                        "GET /api/agents?limit=1000",
                        200,
                        "{\"items\":[{\"id\":\"a\",\"name\":\"A\"}],\"next_cursor\":\"p 2\"}")
                .on(
                        "GET /api/agents?limit=1000&cursor=p%202",
                        200, "{\"items\":[{\"id\":\"b\",\"name\":null}],\"next_cursor\":null}");
        assertThat(hermit("agents", "list").out()).isEqualTo("ID  NAME  CREATED\na   A     —\nb   —     —\n");
        assertThat(hermit("agents", "list", "--json").json().toString())
                .isEqualTo(
                        "{\"items\":[{\"id\":\"a\",\"name\":\"A\"},{\"id\":\"b\",\"name\":null}],\"next_cursor\":null}");
    }

    @Test
    void names_cannot_write_on_the_terminal() {
        gateway.on(
                "GET /api/agents?limit=1000",
                200,
                "{\"items\":[{\"id\":\"a\",\"name\":\"\\u001b[2J\\u009b\\nx\"}],\"next_cursor\":null}");
        assertThat(hermit("agents", "list").out()).contains("\\x1b[2J\\x9b x").doesNotContain("\033");
    }

    @Test
    void colours_are_for_terminals_that_want_them() {
        gateway.on("GET /api/agents?limit=1000", 200, "{\"items\":[],\"next_cursor\":null}");
        assertThat(hermit("agents", "list").out()).doesNotContain("\033");
        terminal = true;
        assertThat(hermit("agents", "list").out()).contains("\033[1m");
        env.put("NO_COLOR", "1");
        assertThat(hermit("agents", "list").out()).doesNotContain("\033");
    }

    @Test
    void create_leaves_out_what_was_not_said() {
        gateway.on("POST /api/agents", 201, "{\"id\":\"a\"}");
        assertThat(hermit("agents", "create", "a").code()).isZero();
        assertThat(gateway.last().body().toString()).isEqualTo("{\"id\":\"a\"}");
        hermit("agents", "create", "a", "--name", "Ann", "--sandbox", "dev", "--config", "{\"exec\":{}}");
        assertThat(gateway.last().body().toString())
                .isEqualTo("{\"id\":\"a\",\"name\":\"Ann\",\"sandbox\":\"dev\",\"config\":{\"exec\":{}}}");
        hermit("agents", "create", "a", "--no-sandbox");
        assertThat(gateway.last().body().toString()).isEqualTo("{\"id\":\"a\",\"sandbox\":null}");
    }

    @Test
    void what_contradicts_itself_or_is_no_json_is_never_sent() {
        assertThat(hermit("agents", "create", "a", "--no-sandbox", "--sandbox", "dev")
                        .code())
                .isEqualTo(2);
        assertThat(hermit("agents", "create", "a", "--config", "{").code()).isEqualTo(2);
        assertThat(hermit("agents", "create", "a", "--config", "[]").code()).isEqualTo(2);
        assertThat(hermit("agents", "create", "a", "--config", "{} {}").code()).isEqualTo(2);
        assertThat(hermit("agents", "create").code()).isEqualTo(2);
        assertThat(hermit("sandbox", "add").code()).isEqualTo(2);
        assertThat(hermit("sandbox", "add", "--type", "docker", "--preset", "dev")
                        .code())
                .isEqualTo(2);
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void the_spellings_of_the_sandbox_model_work() {
        gateway.on("GET /api/agents/a1/sandboxes?limit=1000", 200, "{\"items\":[],\"next_cursor\":null}")
                .on("POST /api/agents/a1/sandboxes", 201, "{\"alias\":\"default\"}")
                .on("DELETE /api/agents/a1/sandboxes/default", 204, "");
        assertThat(hermit("sandbox", "list", "--agent", "a1").code()).isZero();
        assertThat(hermit(
                                "sandbox",
                                "add",
                                "--agent",
                                "a1",
                                "--type",
                                "docker",
                                "--config",
                                "{\"image\":\"ubuntu:24.04\"}")
                        .code())
                .isZero();
        assertThat(gateway.last().body().toString())
                .isEqualTo("{\"type\":\"docker\",\"config\":{\"image\":\"ubuntu:24.04\"}}");
        assertThat(hermit("sandbox", "add", "--agent", "a1", "--type", "e2b", "--config", "{\"template\":\"base\"}")
                        .code())
                .isZero();
        assertThat(hermit("sandbox", "remove", "--agent", "a1", "default").code())
                .isZero();
        assertThat(gateway.last().method()).isEqualTo("DELETE");
    }

    @Test
    void the_agent_is_the_named_one_then_the_variables_then_main() {
        hermit("sandbox", "list");
        assertThat(gateway.last().path()).isEqualTo("/api/agents/main/sandboxes?limit=1000");
        env.put("HERMIT_AGENT", "from-env");
        hermit("sandbox", "list");
        assertThat(gateway.last().path()).isEqualTo("/api/agents/from-env/sandboxes?limit=1000");
        hermit("sandbox", "list", "--agent", "named");
        assertThat(gateway.last().path()).isEqualTo("/api/agents/named/sandboxes?limit=1000");
    }

    @Test
    void a_strange_id_stays_one_segment_of_the_path() {
        hermit("agents", "show", "a/../b?x=1#y z");
        assertThat(gateway.last().path()).isEqualTo("/api/agents/a%2F..%2Fb%3Fx%3D1%23y%20z");
    }

    @Test
    void what_is_not_known_of_a_machine_is_a_dash() {
        gateway.on(
                "GET /api/agents/main/sandboxes?limit=1000",
                200,
                "{\"items\":[{\"alias\":\"default\",\"type\":\"docker\",\"status\":\"provisioned\",\"external_id\":\"c1\",\"runtime\":null,\"last_seen_at\":null}],\"next_cursor\":null}");
        assertThat(hermit("sandbox", "list").out().lines().toList().getLast())
                .isEqualTo("default  docker  provisioned  —        c1           —");
    }

    @Test
    void start_and_stop_say_everything_in_the_path_and_pass_on_notes() {
        gateway.on("POST /api/agents/main/sandboxes/default/stop?force=true", 200, "{\"sandbox\":{},\"notes\":[]}")
                .on(
                        "POST /api/agents/main/sandboxes/gpu/start",
                        200,
                        "{\"sandbox\":{},\"notes\":[\"it was made anew\"]}");
        assertThat(hermit("sandbox", "stop", "--force").code()).isZero();
        assertThat(gateway.last().body().isMissingNode()).isTrue();
        var started = hermit("sandbox", "start", "gpu");
        assertThat(started.err()).isEqualTo("hermit: it was made anew\n");
        assertThat(gateway.last().body().isMissingNode()).isTrue();
        assertThat(gateway.last().headers()).doesNotContainKey("Content-type");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "start second",
                "start --alias second",
                "stop second",
                "stop --alias second",
                "ps second",
                "ps --alias second",
                "remove second",
                "remove --alias second",
                "logs second x",
                "logs x --alias second",
                "kill --no-wait second x",
                "kill --no-wait x --alias second",
                "exec --alias second -- true"
            })
    void the_alias_is_a_word_or_an_option(String words) {
        hermit(("sandbox " + words).split(" "));
        assertThat(gateway.asked())
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.path()).startsWith("/api/agents/main/sandboxes/second"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "start second --alias second",
                "stop second --alias third",
                "ps second --alias third",
                "remove second --alias third",
                "remove",
                "logs second x --alias third",
                "kill second x --alias third",
                "kill a b c"
            })
    void it_is_given_once_and_what_is_removed_is_named(String words) {
        assertThat(hermit(("sandbox " + words).split(" ")).code()).isEqualTo(2);
        assertThat(gateway.asked()).isEmpty();
    }
}
