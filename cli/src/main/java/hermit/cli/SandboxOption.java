package hermit.cli;

import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Which sandbox a command is about. Wherever it is not the command's own words that follow, its alias may also be
/// given as the first word.
final class SandboxOption {
    @Mixin
    private AgentOption agent = new AgentOption();

    @Option(names = "--alias", paramLabel = "ALIAS", description = "Which of the agent's sandboxes. Default: default.")
    private Optional<String> alias = Optional.empty();

    String agent(CliContext cli) {
        return agent.in(cli);
    }

    /// The alias, by the option alone.
    String alias() {
        return alias.orElse(Sandboxes.DEFAULT_ALIAS);
    }

    /// The alias, which may also be this word.
    String alias(Optional<String> word) throws CliFailure {
        return given(word).orElse(Sandboxes.DEFAULT_ALIAS);
    }

    /// The same where there is none by default.
    String namedAlias(Optional<String> word) throws CliFailure {
        return given(word).orElseThrow(() -> CliFailure.usage("Say which sandbox: as a word, or with --alias"));
    }

    private Optional<String> given(Optional<String> word) throws CliFailure {
        if (word.isPresent() && alias.isPresent())
            throw CliFailure.usage("Give the sandbox once: as a word, or with --alias");
        return word.or(() -> alias);
    }
}
