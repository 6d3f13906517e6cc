package hermit.cli;

import hermit.api.GatewayClient;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Which sandbox the commands of a call are in.
final class SandboxOption {
    @Mixin
    private AgentOption agent = new AgentOption();

    @Option(names = "--alias", paramLabel = "ALIAS", description = "Which of the agent's sandboxes. Default: default.")
    private String alias = Sandboxes.DEFAULT_ALIAS;

    /// The path of one command.
    String exec(CliContext cli, String execId) {
        return Sandboxes.path(agent.in(cli), alias, "execs") + "/" + GatewayClient.encode(execId);
    }
}
