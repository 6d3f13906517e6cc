package hermit.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/// How much of a list is wanted.
final class LimitOption {
    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "At most so many.")
    private Optional<Integer> limit = Optional.empty();

    /// Without the option, every one.
    int most() throws CliFailure {
        return most(Integer.MAX_VALUE);
    }

    int most(int usual) throws CliFailure {
        int most = limit.orElse(usual);
        if (most < 1) throw CliFailure.usage("--limit must be at least 1");
        return most;
    }
}
