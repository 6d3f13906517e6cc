package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `hermit sandbox ps`.
@Command(name = "ps", description = "Lists the commands that run in a sandbox, newest first.")
final class SandboxPs implements Callable<Integer> {
    /// As much of a command as leaves a line in one piece on a usual terminal; `--json` has all of it.
    private static final int MOST_OF_A_COMMAND = 60;

    private final CliContext cli;

    @Mixin
    private SandboxOption sandbox = new SandboxOption();

    @Parameters(paramLabel = "ALIAS", arity = "0..1", description = "The sandbox, as by --alias.")
    private Optional<String> word = Optional.empty();

    @Option(
            names = {"-a", "--all"},
            description = "Also those that have ended.")
    private boolean all;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "At most so many. Default: every one, and with --all 50.")
    private Optional<Integer> limit = Optional.empty();

    SandboxPs(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        int most = limit.orElse(all ? 50 : Integer.MAX_VALUE);
        if (most < 1) throw CliFailure.usage("--limit must be at least 1");
        var path = Sandboxes.path(sandbox.agent(cli), sandbox.alias(word), "execs");
        var execs = cli.list(path, all ? "" : "&open=true", most);
        var table = new Table("EXEC ID", "STATE", "SINCE", "COMMAND");
        for (JsonNode exec : execs.path("items"))
            table.row(Details.value(exec.path("exec_id")), state(exec), Details.value(since(exec)), command(exec));
        cli.output().result(execs, table.render(cli.output().colours()));
        return ExitCode.OK;
    }

    private static String state(JsonNode exec) {
        var state = exec.path("state").asText();
        return state.equals("ended") ? ExecEnd.of(exec).toString() : state;
    }

    /// When it came into the state that it is in.
    private static JsonNode since(JsonNode exec) {
        return switch (exec.path("state").asText()) {
            case "ended" -> exec.path("ended_at");
            case "running" -> exec.path("started_at");
            default -> exec.path("created_at");
        };
    }

    /// Shell text as it is, and an argument list with its borders to be seen.
    private static String command(JsonNode exec) {
        var text =
                exec.path("command").isTextual() ? exec.path("command").asText() : ShownText.words(exec.path("argv"));
        return text.codePointCount(0, text.length()) <= MOST_OF_A_COMMAND
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MOST_OF_A_COMMAND - 1)) + "…";
    }
}
