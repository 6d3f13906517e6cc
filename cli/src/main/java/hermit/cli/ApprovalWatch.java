package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `hermit approvals watch`.
@Command(
        name = "watch",
        description = {
            "Shows what waits for a decision that is yours, and then each change, until Ctrl-C.",
            "",
            "A connection that breaks is made again. With --json each approval is a document on a line of its own.",
            ""
        })
final class ApprovalWatch implements Callable<Integer> {
    /// Far more than change while a connection is made again.
    private static final int MOST_SHOWN = 10_000;

    private static final Set<String> CARRIED_OUT = Set.of("executing", "done");

    private final CliContext cli;

    /// A connection that is made again may tell once more what it has told.
    private final Map<String, String> shown = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MOST_SHOWN;
        }
    };

    @Option(names = "--agent", paramLabel = "ID", description = "Only of this agent. Default: of all.")
    private Optional<String> agent = Optional.empty();

    ApprovalWatch(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        if (cli.output().json()) cli.output().useLines();
        GatewayClient gateway = cli.gateway();
        var events = GatewayClient.path("approvals", "events");
        new Following(cli, last -> gateway.resume(events, last), this::take).toTheEnd();
        return ExitCode.OK;
    }

    private void take(String name, JsonNode approval) {
        // A newer gateway may say more than we know.
        if (!name.equals("approval")) return;
        if (agent.isPresent() && !agent.get().equals(approval.path("agent_id").asText())) return;
        var state = approval.path("state").asText();
        if (state.equals(shown.put(approval.path("id").asText(), state))) return;
        cli.output().result(approval, state.equals("pending") ? question(approval) : change(approval));
    }

    private static String question(JsonNode approval) {
        var id = approval.path("id").asText();
        return ApprovalText.details(approval)
                + "→ hermit approvals approve %1$s\n→ hermit approvals deny %1$s\n\n".formatted(id);
    }

    /// Who decided, and why, is told once: not again when it is carried out.
    private static String change(JsonNode approval) {
        var state = approval.path("state").asText();
        boolean decided = !CARRIED_OUT.contains(state);
        var by = approval.path("decided_by");
        var reason = approval.path("reason");
        return "%s  %s%s%s\n\n"
                .formatted(
                        approval.path("id").asText(),
                        state,
                        decided && by.isTextual() ? " by " + ShownText.of(by) : "",
                        decided && reason.isTextual() ? ": " + ShownText.of(reason) : "");
    }
}
