package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `hermit gateway …` with a real process in the background.
class GatewayCommandsTest extends CliTest {
    private final int port = freePort();

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Not the usual port: a gateway of this machine may be listening there.
    @BeforeEach
    void listenAtAFreePort() throws IOException {
        listenAt(port);
    }

    private void listenAt(int port) throws IOException {
        Files.writeString(home.resolve("gateway.json"), "{\"server\":{\"port\":%d}}".formatted(port));
    }

    private void program(int status, String readiness) throws IOException {
        launcher("[ \"$*\" = 'gateway run' ] || exit 99\nexec '%s/bin/java' -XX:TieredStopAtLevel=1 -cp '%s' %s %d '%s'"
                .formatted(
                        System.getProperty("java.home"),
                        System.getProperty("java.class.path"),
                        FakeGatewayProgram.class.getName(),
                        status,
                        readiness));
    }

    @AfterEach
    void stopWhatWasStarted() {
        hermit("gateway", "stop");
    }

    @Test
    void start_status_start_again_stop() throws Exception {
        program(200, "{\"status\":\"ready\"}");
        assertThat(hermit("gateway", "status").code()).isEqualTo(3);

        var started = hermit("gateway", "start", "--json");
        assertThat(started.code()).isZero();
        assertThat(started.json().path("started").asBoolean()).isTrue();
        assertThat(started.json().path("ready").asBoolean()).isTrue();
        assertThat(Files.readString(home.resolve("logs/gateway.log"))).contains("listening");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("logs/gateway.log"))))
                .isEqualTo("rw-------");

        var again = hermit("gateway", "start", "--json");
        assertThat(again.code()).isZero();
        assertThat(again.json().path("started").asBoolean()).isFalse();
        assertThat(again.json().path("pid")).isEqualTo(started.json().path("pid"));

        var status = hermit("gateway", "status", "--json");
        assertThat(status.code()).isZero();
        assertThat(status.json().path("readiness").path("status").asText()).isEqualTo("ready");

        assertThat(hermit("gateway", "stop", "--json").json().path("stopped").asBoolean())
                .isTrue();
        assertThat(ProcessHandle.of(started.json().path("pid").asLong()).filter(ProcessHandle::isAlive))
                .isEmpty();
        assertThat(home.resolve("gateway.pid")).doesNotExist();
        assertThat(hermit("gateway", "stop").out()).contains("No gateway was running");
    }

    @Test
    void a_gateway_that_is_up_and_not_ready_is_told_apart() throws Exception {
        program(
                200,
                "{\"status\":\"degraded\",\"database\":{\"state\":\"up\",\"detail\":\"SQLite\"},"
                        + "\"backends\":{\"docker\":{\"state\":\"down\",\"detail\":\"no engine\"},\"e2b\":{\"state\":\"not_configured\",\"detail\":\"no key\"}}}");
        var started = hermit("gateway", "start");
        assertThat(started.code()).isZero();
        assertThat(started.err()).isEqualTo("hermit: Not all is well: degraded (docker: no engine)\n");
        assertThat(hermit("gateway", "status").code()).isEqualTo(4);
    }

    @Test
    void mistakes_in_the_configuration_are_shown_and_nothing_is_left() throws Exception {
        launcher("echo 'server.prot: unknown, did you mean server.port?' >&2; exit 78");
        var ended = hermit("gateway", "start", "--json");
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.json().path("detail").asText()).contains("did you mean server.port?");
        assertThat(home.resolve("gateway.pid")).doesNotExist();
    }

    @Test
    void only_what_this_start_said_is_shown() throws Exception {
        launcher("echo first >&2; exit 1");
        hermit("gateway", "start");
        launcher("echo second >&2; exit 1");
        var ended = hermit("gateway", "start");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.err()).contains("second").doesNotContain("first");
    }

    @Test
    void a_pid_that_is_another_process_now_is_not_ours_to_stop() throws Exception {
        long self = ProcessHandle.current().pid();
        Files.writeString(home.resolve("gateway.pid"), "%d\n%d\n".formatted(self, 12345));
        assertThat(hermit("gateway", "stop").code()).isZero();
        assertThat(home.resolve("gateway.pid")).doesNotExist();
    }

    @Test
    void a_gateway_that_somebody_else_started_is_neither_stopped_nor_started_over() throws Exception {
        listenAt(gateway.port());
        gateway.on("GET /ready", 200, "{}");
        launcher("exit 99");
        assertThat(hermit("gateway", "start", "--json").json().path("code").asText())
                .isEqualTo("address_in_use");
        assertThat(hermit("gateway", "stop", "--json").json().path("code").asText())
                .isEqualTo("not_ours");
    }

    @Test
    void quickstart_twice_makes_things_once() throws Exception {
        listenAt(gateway.port());
        tokenFile("t", "rw-------");
        var self = ProcessHandle.current();
        Files.writeString(
                home.resolve("gateway.pid"),
                "%d\n%d\n"
                        .formatted(
                                self.pid(),
                                self.info().startInstant().orElseThrow().toEpochMilli()));
        gateway.on("POST /api/agents", 201, "{}")
                .on("GET /api/agents/main/sandboxes", 200, "{\"items\":[],\"next_cursor\":null}")
                .on("POST /api/agents/main/sandboxes", 201, "{}")
                .on("POST /api/agents/main/sandboxes/default/execs", 200, "{\"exit_code\":0,\"stdout\":\"Linux\\n\"}");
        var first = hermit("quickstart", "--image", "hermit-base:bookworm");
        assertThat(first.code()).isZero();
        assertThat(first.out()).contains("Linux").contains(gateway.url()).contains("admin-token");
        assertThat(gateway.asked())
                .filteredOn(asked -> asked.method().equals("POST"))
                .extracting(asked -> asked.body().toString())
                .contains(
                        "{\"id\":\"main\",\"sandbox\":null}",
                        "{\"type\":\"docker\",\"config\":{\"image\":\"hermit-base:bookworm\"}}");

        int before = gateway.asked().size();
        gateway.on("GET /api/agents/main", 200, "{}")
                .on(
                        "GET /api/agents/main/sandboxes",
                        200,
                        "{\"items\":[{\"alias\":\"default\"}],\"next_cursor\":null}");
        var second = hermit("quickstart");
        assertThat(second.code()).isZero();
        assertThat(second.err())
                .contains("Agent 'main' was already there")
                .contains("Sandbox 'default' was already there");
        assertThat(gateway.asked().subList(before, gateway.asked().size()))
                .filteredOn(asked -> asked.method().equals("POST"))
                .extracting(FakeGateway.Asked::path)
                .containsExactly("/api/agents/main/sandboxes/default/execs");
        Files.delete(home.resolve("gateway.pid"));
    }
}
