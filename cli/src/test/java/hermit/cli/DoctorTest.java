package hermit.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest extends CliTest {
    /// The path of a socket must be short.
    @TempDir
    private Path directory;

    private ServerSocketChannel engine = openEngine();

    private volatile String options = "[\"name=seccomp,profile=default\"]";

    private static ServerSocketChannel openEngine() {
        try {
            return ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void healthy() throws Exception {
        engine.bind(UnixDomainSocketAddress.of(directory.resolve("d.sock")));
        Thread.ofVirtual().start(this::serve);
        env.put("DOCKER_HOST", "unix://" + directory.resolve("d.sock"));
        launcher("exit 0");
        gateway.on("GET /ready", 200, "{\"status\":\"ready\"}")
                .on(
                        "GET /api/sandbox-presets",
                        200,
                        "{\"presets\":{\"dev\":{\"type\":\"docker\",\"config\":{\"image\":\"there:1\"}},\"big\":{\"type\":\"docker\",\"config\":{\"image\":\"absent:2\"}}}}");
    }

    /// An engine with one image.
    private void serve() {
        try {
            while (true) {
                try (var channel = engine.accept()) {
                    var request = ByteBuffer.allocate(4096);
                    channel.read(request);
                    var line = new String(request.array(), 0, request.position(), UTF_8);
                    var answer = line.startsWith("GET /version ")
                            ? "HTTP/1.0 200 OK\r\n\r\n{\"Version\":\"20.10.24\",\"ApiVersion\":\"1.41\",\"MinAPIVersion\":\"1.12\"}"
                            : line.startsWith("GET /info ")
                                    ? "HTTP/1.0 200 OK\r\n\r\n{\"SecurityOptions\":%s}".formatted(options)
                                    : line.contains("there%3A1")
                                            ? "HTTP/1.0 200 OK\r\n\r\n{}"
                                            : "HTTP/1.0 404 Not Found\r\n\r\n{}";
                    channel.write(ByteBuffer.wrap(answer.getBytes(UTF_8)));
                }
            }
        } catch (ClosedChannelException e) {
            // The test is over.
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stopEngine() throws IOException {
        engine.close();
    }

    private static String state(JsonNode findings, String name) {
        for (JsonNode check : findings.path("checks"))
            if (check.path("name").asText().equals(name))
                return check.path("state").asText();
        return "none";
    }

    @Test
    void all_is_well() {
        var ended = hermit("doctor", "--json");
        assertThat(ended.code()).isZero();
        assertThat(ended.json().path("ok").asBoolean()).isTrue();
        assertThat(hermit("doctor").out())
                .contains("engine 20.10.24, API 1.41 (at least 1.12)")
                .contains("there:1 is there")
                .contains("absent:2 is not there yet")
                .contains("token    ok");
    }

    @Test
    void whose_root_a_sandbox_has_S12() {
        assertThat(hermit("doctor").out()).contains("(at least 1.12), with the host's user ids, at");
        options = "[\"name=seccomp,profile=default\",\"name=rootless\"]";
        assertThat(hermit("doctor").out()).contains("(at least 1.12), rootless, at");
        options = "[\"name=userns\"]";
        assertThat(hermit("doctor").out()).contains("(at least 1.12), with mapped user ids, at");
    }

    @Test
    void no_gateway() {
        gateway.close();
        var ended = hermit("doctor", "--json");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(state(ended.json(), "gateway")).isEqualTo("failed");
        assertThat(state(ended.json(), "docker")).isEqualTo("ok");
    }

    @Test
    void each_cloud_as_the_gateway_finds_it() {
        gateway.on("GET /ready", 200, """
                {"status":"degraded","backends":{"docker":{"state":"up","detail":"Docker 28.0"},\
                "e2b":{"state":"not_configured","detail":"E2B_API_KEY is not set"},\
                "daytona":{"state":"down","detail":"the key is refused (401)"},\
                "tenki":{"state":"up","detail":null}}}
                """);
        var ended = hermit("doctor", "--json");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(state(ended.json(), "e2b")).isEqualTo("ok");
        assertThat(state(ended.json(), "daytona")).isEqualTo("failed");
        assertThat(state(ended.json(), "tenki")).isEqualTo("ok");
        assertThat(ended.out()).contains("not in use: E2B_API_KEY is not set", "the key is refused (401)");
    }

    @Test
    void a_gateway_that_is_not_ready() {
        gateway.on(
                "GET /ready",
                503,
                "{\"status\":\"unavailable\",\"backends\":{\"docker\":{\"state\":\"down\",\"detail\":\"no engine\"}}}");
        var ended = hermit("doctor", "--json");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.out()).contains("docker: no engine");
    }

    @Test
    void a_token_that_is_refused_exposed_or_missing() throws Exception {
        gateway.problem("GET /api/sandbox-presets", 401, "unauthenticated", "no such token");
        assertThat(state(hermit("doctor", "--json").json(), "token")).isEqualTo("failed");
        env.remove("HERMIT_TOKEN");
        assertThat(state(hermit("doctor", "--json").json(), "token")).isEqualTo("failed");
        tokenFile("t", "rw-r--r--");
        assertThat(state(hermit("doctor", "--json").json(), "token")).isEqualTo("failed");
    }

    @Test
    void no_engine() throws IOException {
        engine.close();
        assertThat(state(hermit("doctor", "--json").json(), "docker")).isEqualTo("failed");
    }

    @Test
    void mistakes_in_the_configuration() throws IOException {
        launcher(
                "printf 'hermit: the configuration cannot be used:\\n  server.port: must be a number\\n  docker: what?\\n' >&2; exit 78");
        var ended = hermit("doctor", "--json");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(state(ended.json(), "config")).isEqualTo("failed");
        assertThat(ended.out()).contains("\"server.port: must be a number; docker: what?\"");
    }
}
