package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.JsonTree;
import java.util.Optional;

/// What every command works with: the world, the output, and the gateway, which is looked for when it is first
/// needed.
final class CliContext {
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
        GatewayClient gateway = gateway();
        ArrayNode items = JsonTree.array();
        var next = "";
        // As many at once as the gateway gives.
        var most = "?limit=1000";
        do {
            JsonNode page = gateway.get(path + most + next);
            items.addAll((ArrayNode) page.withArray("items"));
            next = page.path("next_cursor").isTextual()
                    ? "&cursor=" + GatewayClient.encode(page.path("next_cursor").asText())
                    : "";
        } while (!next.isEmpty());
        ObjectNode whole = JsonTree.object();
        whole.set("items", items);
        return whole.putNull("next_cursor");
    }
}
