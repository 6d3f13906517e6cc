package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// The commands of `hermit approvals rules`.
final class ApprovalRules {
    private ApprovalRules() {}

    @Command(name = "list", description = "Lists what need not ask again, newest first.")
    static final class ListThem implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private LimitOption limit = new LimitOption();

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode rules = cli.list(GatewayClient.path("approval-rules"), "", limit.most());
            var table = new Table(
                    "RULE ID", "AGENT", "REQUESTER", "SESSION", "USES", "LAST USED", "EXPIRES", "VARIABLES", "WHAT");
            for (JsonNode rule : rules.path("items"))
                table.row(
                        Details.value(rule.path("id")),
                        Details.value(rule.path("agent_id")),
                        Details.value(rule.path("requester")),
                        rule.path("session_id").isTextual()
                                ? rule.path("session_id").asText()
                                : "all",
                        Details.value(rule.path("uses")),
                        Details.value(rule.path("last_used_at")),
                        Details.value(rule.path("expires_at")),
                        ApprovalText.variables(rule.path("call")),
                        ApprovalText.what(rule.path("call")));
            cli.output().result(rules, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(name = "revoke", description = "Takes a rule back: its command asks again from now on.")
    static final class Revoke implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "RULE_ID")
        private String id = "";

        Revoke(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            cli.gateway().delete(GatewayClient.path("approval-rules", id));
            cli.output().result(JsonTree.object().put("revoked", id), "Revoked rule %s".formatted(id));
            return ExitCode.OK;
        }
    }
}
