package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.JsonTree;
import java.util.Optional;

/// What every command works with: the world, the output, and the gateway, which is looked for when it is
/// first needed.
final class CliContext {
    /// As many at once as the gateway gives.
    private static final int PAGE = 1_000;

    private final Surroundings surroundings;
    private final Output output;
    private final HermitHome home;

    CliContext(Surroundings surroundings, Output output) {
        this.surroundings = surroundings;
        this.output = output;
        this.home = HermitHome.of(surroundings);
    }

    Surroundings surroundings() {
        return surroundings;
    }

    Output output() {
        return output;
    }

    HermitHome home() {
        return home;
    }

    Connection connection() throws CliFailure {
        return Connection.of(surroundings, home);
    }

    GatewayClient gateway() throws CliFailure {
        return connection().client();
    }

    Launcher launcher() throws CliFailure {
        return Launcher.of(surroundings);
    }

    /// The agent that is meant where none is named.
    String agent(Optional<String> named) {
        return named.or(() -> surroundings.variable("HERMIT_AGENT")).orElse("main");
    }

    /// A whole list, page after page, as one document of the same form.
    ObjectNode list(String path) throws CliFailure, GatewayClientException {
        return list(path, "", Integer.MAX_VALUE);
    }

    /// The first `most` of a list; `filter` is more of its query, such as `&open=true`.
    ObjectNode list(String path, String filter, int most) throws CliFailure, GatewayClientException {
        GatewayClient gateway = gateway();
        ArrayNode items = JsonTree.array();
        JsonNode next = JsonTree.text("");
        while (next.isTextual() && items.size() < most) {
            int limit = Math.min(PAGE, most - items.size());
            var cursor = next.asText().isEmpty() ? "" : "&cursor=" + GatewayClient.encode(next.asText());
            JsonNode page = gateway.get(path + "?limit=" + limit + filter + cursor);
            items.addAll((ArrayNode) page.withArray("items"));
            next = page.path("next_cursor");
        }
        ObjectNode whole = JsonTree.object();
        whole.set("items", items);
        return whole.set("next_cursor", next.isTextual() ? next : JsonTree.nothing());
    }
}
