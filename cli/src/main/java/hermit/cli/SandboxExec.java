package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientEvents;
import hermit.api.GatewayClientException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `hermit sandbox exec`.
@Command(
        name = "exec",
        description = {
            "Runs a command in a sandbox and exits with its code.",
            "",
            "Several words are an exact argument list: no shell comes between. A single word with spaces or shell signs in it"
                    + " is run by the sandbox's shell. 125: the command did not run, or how it ended is unknown.",
            ""
        },
        exitCodeOnInvalidInput = ExitCode.NOT_RUN,
        exitCodeOnExecutionException = ExitCode.NOT_RUN)
final class SandboxExec implements Callable<Integer> {
    private final CliContext cli;

    @Mixin
    private AgentOption agent = new AgentOption();

    @Option(names = "--alias", paramLabel = "ALIAS", description = "Which of the agent's sandboxes. Default: default.")
    private String alias = Sandboxes.DEFAULT_ALIAS;

    @Option(names = "--cwd", paramLabel = "DIR", description = "Where to run it. Default: the agent home.")
    private Optional<String> cwd = Optional.empty();

    @Option(
            names = {"-e", "--env"},
            paramLabel = "K=V",
            description = "A variable for it; may be given several times.")
    private Map<String, String> env = new LinkedHashMap<>();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long it may take: 500ms, 30s, 5m. Default: 5m.")
    private Optional<Duration> timeout = Optional.empty();

    @Option(names = "--login", description = "With the environment of a fresh login shell.")
    private boolean login;

    @Option(
            names = {"-i", "--stdin"},
            description =
                    "Send our stdin, up to 8 MiB, read to its end first. Without it the command's stdin is empty.")
    private boolean stdin;

    @Option(
            names = {"-c", "--command"},
            paramLabel = "TEXT",
            description = "Text for the sandbox's shell, instead of words.")
    private Optional<String> command = Optional.empty();

    @Parameters(paramLabel = "WORD", arity = "0..*", description = "The command, best after '--'.")
    private List<String> words = List.of();

    SandboxExec(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        var owner = agent.in(cli);
        var execs = Sandboxes.path(owner, alias, "execs");
        var request = request();
        GatewayClient gateway = cli.gateway();
        var exec = new RunningExec(gateway, execs, cli.output());
        // The guard comes first and so is let go last: an interrupted process waits until the report is out.
        try (var _ = cli.surroundings().interrupts().guard(exec::cancel);
                var progress = BringUpProgress.watch(cli, owner, alias);
                GatewayClientEvents events = gateway.stream(execs, request.body())) {
            return report(exec.follow(events, progress::close), exec);
        } catch (IOException e) {
            exec.cancel();
            return ExitCode.OUTPUT_CLOSED;
        }
    }

    private ExecRequest request() throws CliFailure {
        if (command.isPresent() == !words.isEmpty())
            throw CliFailure.usage("Give a command: either words, best after '--', or -c TEXT");
        var request = command.isPresent() ? ExecRequest.ofCommand(command.get()) : ExecRequest.ofWords(words);
        request.in(cwd)
                .cancelledWhenWeAreGone()
                .with(env)
                .within(timeout)
                .login(login)
                .encoded(!cli.output().json());
        return stdin ? request.stdin(cli.surroundings().in()) : request;
    }

    private int report(JsonNode result, RunningExec exec) throws GatewayClientException {
        // The last event tells how it ended; a document has the output too.
        if (cli.output().json()) cli.output().document(exec.result());
        explanation(result).ifPresent(cli.output()::note);
        return result.path("exit_code").isInt() ? result.path("exit_code").asInt() : ExitCode.NOT_RUN;
    }

    /// Why it ended, where its own output does not say so.
    private static Optional<String> explanation(JsonNode result) {
        var reason = result.path("end_reason").asText();
        return switch (reason) {
            case "exited", "signaled", "timed_out" -> Optional.empty();
            case "cancelled" -> Optional.of("The command was cancelled");
            case "oom_killed" -> Optional.of("The command was killed: the sandbox ran out of memory");
            default -> Optional.of(result.path("error").path("detail").asText("The command ended: " + reason));
        };
    }
}
