package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Files of sandboxes as resources.
class McpResourcesTest extends McpTest {
    @Test
    void listing_resources_brings_no_machine_up() throws Exception {
        JsonNode before =
                json.readTree(post(user, session, request(1, "resources/list")).text());
        assertThat(before.at("/result/resources")).isEmpty();
        assertThat(gateway.docker.ensures.get()).isZero();
        call(user, "write_file", Map.of("path", "a.txt", "content", "hello"));
        JsonNode after =
                json.readTree(post(user, session, request(2, "resources/list")).text());
        assertThat(after.at("/result/resources/0/uri").asText()).isEqualTo("sandbox://default/root/a.txt");
    }

    @Test
    void too_large_a_file_is_no_resource() throws Exception {
        call(user, "write_file", Map.of("path", "big", "content", "x".repeat(1 << 20)));
        call(user, "exec", Map.of("command", "exit 0"));
        JsonNode fits = resource("sandbox://default/root/big");
        assertThat(fits.at("/result/contents/0/text").asText()).hasSize(1 << 20);
        admin.send(admin.request("/api/agents/main/sandboxes/default/files?path=big")
                .PUT(BodyPublishers.ofString("x".repeat((1 << 20) + 1))));
        assertThat(resource("sandbox://default/root/big").at("/error/data/code").asText())
                .isEqualTo("too_large");
    }

    @Test
    void a_name_is_listed_as_it_is_written_in_the_sandbox() throws Exception {
        call(user, "write_file", Map.of("path", "e\u0301.txt", "content", "in two pieces"));
        String uri = json.readTree(
                        post(user, session, request(1, "resources/list")).text())
                .at("/result/resources/0/uri")
                .asText();
        assertThat(uri).isEqualTo("sandbox://default/root/e%CC%81.txt");
        assertThat(resource(uri).at("/result/contents/0/text").asText()).isEqualTo("in two pieces");
    }

    private JsonNode resource(String uri) throws Exception {
        return json.readTree(post(user, session, message(7, "resources/read", Map.of("uri", uri)))
                .text());
    }
}
