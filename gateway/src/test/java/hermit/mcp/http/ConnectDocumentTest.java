package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import hermit.People;
import hermit.TestGateway;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `docs/connect.md`: what can be run in it is run, and the rest is read. Needs node.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class ConnectDocumentTest {
    private static final Path PAGE = Path.of("../docs/connect.md");

    private final JsonMapper json = new JsonMapper();

    @TempDir
    private Path folder;

    @Test
    void the_loop_runs_a_command_and_hears_what_it_printed() throws Exception {
        Path script = Files.writeString(folder.resolve("loop.mjs"), blocks("js").getFirst());
        var heard = new CopyOnWriteArrayList<JsonNode>();
        var model = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        model.createContext("/v1/chat/completions", exchange -> {
            try (exchange) {
                JsonNode asked = json.readTree(exchange.getRequestBody());
                heard.add(asked);
                byte[] answer = answer(asked).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        model.start();
        try (var gateway = new TestGateway()) {
            var people = new People(gateway);
            people.agent("main", "private");
            var builder = new ProcessBuilder("node", script.toString(), "Say hello").redirectErrorStream(true);
            builder.environment()
                    .putAll(Map.of(
                            "HERMIT_URL",
                            "http://127.0.0.1:" + gateway.port(),
                            "HERMIT_TOKEN",
                            people.program("main").token(),
                            "MODEL_URL",
                            "http://127.0.0.1:%d/v1"
                                    .formatted(model.getAddress().getPort()),
                            "MODEL_KEY",
                            "key",
                            "MODEL",
                            "scripted"));
            var process = builder.start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            assertThat(said).isEqualTo("It said: hello\n");
            var session =
                    gateway.client.get("/api/agents/main/sessions").items().getFirst();
            assertThat(session).containsEntry("state", "ended").containsEntry("end_reason", "requested");
        } finally {
            model.stop(0);
        }
        assertThat(heard.getFirst().at("/tools/0/function/name").asText()).isEqualTo("exec");
        assertThat(heard.getFirst().at("/messages/0/content").asText()).contains("'main'");
    }

    /// A model that calls `exec` first, and then repeats what came of it.
    private static String answer(JsonNode asked) {
        JsonNode last = asked.at("/messages").get(asked.at("/messages").size() - 1);
        return last.path("role").asText().equals("tool")
                ? """
                {"choices": [{"message": {"role": "assistant", "content": "It said: %s"}}]}""".formatted(
                        last.path("content").asText().lines().findFirst().orElse(""))
                : """
                {"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function",
                 "function": {"name": "exec", "arguments": "{\\"command\\": \\"echo hello\\"}"}}]}}]}""";
    }

    @Test
    void the_configurations_point_to_the_route_and_hold_no_token() throws Exception {
        assertThat(blocks("json")).hasSize(3);
        for (String block : blocks("json")) {
            JsonNode server = json.readTree(block).at("/mcpServers/hermit");
            if (server.has("command"))
                assertThat(server.at("/args").toString()).isEqualTo("[\"mcp\",\"--agent\",\"main\"]");
            else {
                assertThat(server.at("/url").asText()).endsWith("/api/agents/main/mcp");
                assertThat(server.at("/headers/Authorization").asText()).matches("Bearer \\$\\{(env:)?HERMIT_TOKEN}");
            }
        }
        assertThat(blocks("toml").getFirst()).contains("/api/agents/main/mcp", "\"HERMIT_TOKEN\"");
    }

    private static List<String> blocks(String kind) throws Exception {
        var blocks = new ArrayList<String>();
        var block =
                Pattern.compile("```" + kind + "\\R(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        while (block.find()) blocks.add(block.group(1).strip());
        return blocks;
    }
}
