package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `hermit approvals approve` and `deny`. Both show what was decided about.
final class Decisions {
    private Decisions() {}

    private static int decide(CliContext cli, String id, ObjectNode decision) throws Exception {
        JsonNode approval = cli.gateway().post(Approvals.path(id) + "/decision", decision);
        cli.output().result(approval, ApprovalText.details(approval));
        return ExitCode.OK;
    }

    @Command(name = "approve", description = "Lets a call be carried out, once and exactly as it was asked for.")
    static final class Approve implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "APPROVAL_ID")
        private String id = "";

        @Option(
                names = "--remember",
                paramLabel = "HOW_LONG",
                description =
                        "once; session or always: the very same command need not ask again, for at most 24 hours or 30 days. Default: once.")
        private Optional<String> remember = Optional.empty();

        @Option(names = "--reason", paramLabel = "TEXT", description = "For those who read it later.")
        private Optional<String> reason = Optional.empty();

        Approve(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode decision = JsonTree.object().put("decision", "approve");
            remember.ifPresent(word -> decision.put("remember", word));
            reason.ifPresent(text -> decision.put("reason", text));
            return decide(cli, id, decision);
        }
    }

    @Command(name = "deny", description = "Refuses a call.")
    static final class Deny implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "APPROVAL_ID")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Told to whoever asked.")
        private Optional<String> reason = Optional.empty();

        Deny(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode decision = JsonTree.object().put("decision", "deny");
            reason.ifPresent(text -> decision.put("reason", text));
            return decide(cli, id, decision);
        }
    }
}
