package hermit.cli;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `hermit completion`.
@Command(
        name = "completion",
        description = "Prints a completion script. bash: source <(hermit completion bash). zsh: the same, with zsh.")
final class Completion implements Callable<Integer> {
    private final CliContext cli;
    private final Supplier<CommandLine> whole;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private String shell = "";

    /// `whole` is the command line with all its commands.
    Completion(CliContext cli, Supplier<CommandLine> whole) {
        this.cli = cli;
        this.whole = whole;
    }

    @Override
    public Integer call() throws CliFailure {
        // The script is one for both: under zsh it loads that shell's emulation of bash completion.
        if (!shell.equals("bash") && !shell.equals("zsh"))
            throw CliFailure.usage("There is no completion for '%s', only for bash and zsh".formatted(shell));
        cli.output().text("script", AutoComplete.bash("hermit", whole.get()));
        return ExitCode.OK;
    }
}
