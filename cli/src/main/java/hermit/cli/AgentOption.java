package hermit.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/// Which agent a command is about.
final class AgentOption {
    @Option(names = "--agent", paramLabel = "ID", description = "The agent. Default: HERMIT_AGENT, or 'main'.")
    private Optional<String> agent = Optional.empty();

    boolean isGiven() {
        return agent.isPresent();
    }

    String in(CliContext cli) {
        return cli.agent(agent);
    }
}
