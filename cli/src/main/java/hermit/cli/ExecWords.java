package hermit.cli;

import hermit.api.GatewayClient;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Which command of which sandbox something is done with.
final class ExecWords {
    @Mixin
    private SandboxOption sandbox = new SandboxOption();

    @Parameters(
            index = "0",
            paramLabel = "[ALIAS] EXEC_ID",
            description =
                    "The sandbox, as by --alias; and the command, as 'sandbox ps' and 'exec --background' show it.")
    private String first = "";

    @Parameters(index = "1", arity = "0..1", hidden = true)
    private Optional<String> second = Optional.empty();

    String execId() {
        return second.orElse(first);
    }

    /// The path of the command.
    String path(CliContext cli) throws CliFailure {
        var alias = sandbox.alias(second.map(_ -> first));
        return Sandboxes.path(sandbox.agent(cli), alias, "execs") + "/" + GatewayClient.encode(execId());
    }
}
