package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `hermit approvals list` and `show`. The inbox is one over all agents, so that no agent is meant where none
/// is named.
final class Approvals {
    private Approvals() {}

    static String path(String id) {
        return GatewayClient.path("approvals", id);
    }

    @Command(name = "list", description = "Lists what waits for a decision that is yours, newest first.")
    static final class ListThem implements Callable<Integer> {
        private final CliContext cli;

        @Option(names = "--agent", paramLabel = "ID", description = "Only of this agent. Default: of all.")
        private Optional<String> agent = Optional.empty();

        @ArgGroup
        private Which which = new Which();

        @Mixin
        private LimitOption limit = new LimitOption();

        static final class Which {
            @Option(
                    names = {"-a", "--all"},
                    description = "Also what has been decided, or settled otherwise.")
            private boolean all;

            @Option(
                    names = "--state",
                    paramLabel = "STATE",
                    description =
                            "pending, approved, executing, done, denied, expired, cancelled or unknown. Default: pending.")
            private Optional<String> state = Optional.empty();
        }

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var path = agent.map(id -> GatewayClient.path("agents", id, "approvals"))
                    .orElseGet(() -> GatewayClient.path("approvals"));
            var filter = which.all ? "" : "&state=" + GatewayClient.encode(which.state.orElse("pending"));
            ObjectNode approvals = cli.list(path, filter, limit.most());
            var table = new Table("APPROVAL ID", "STATE", "AGENT", "REQUESTER", "EXPIRES", "TOOL", "VARIABLES", "WHAT");
            for (JsonNode approval : approvals.path("items"))
                table.row(
                        Details.value(approval.path("id")),
                        Details.value(approval.path("state")),
                        Details.value(approval.path("agent_id")),
                        Details.value(approval.path("requester")),
                        Details.value(approval.path("expires_at")),
                        Details.value(approval.path("tool")),
                        ApprovalText.variables(approval.path("call")),
                        ApprovalText.what(approval.path("call")));
            cli.output().result(approvals, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(name = "show", description = "Shows one approval, with all of what will run.")
    static final class Show implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "APPROVAL_ID")
        private String id = "";

        Show(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode approval = cli.gateway().get(path(id));
            cli.output().result(approval, ApprovalText.details(approval));
            return ExitCode.OK;
        }
    }
}
