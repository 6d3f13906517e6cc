package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
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
    private SandboxOption sandbox = new SandboxOption();

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
            description = "Pass our stdin on as it comes. Without it the command's stdin is empty.")
    private boolean stdin;

    @Option(
            names = {"-b", "--background"},
            description = "Print its exec id and leave it running; with -i, send up to 8 MiB of stdin first.")
    private boolean background;

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
        var owner = sandbox.agent(cli);
        var execs = Sandboxes.path(owner, sandbox.alias(), "execs");
        var request = request();
        GatewayClient gateway = cli.gateway();
        return background ? leave(gateway, owner, execs, request) : stay(gateway, owner, execs, request);
    }

    private int stay(GatewayClient gateway, String owner, String execs, ExecRequest request) throws Exception {
        var exec = new RunningExec(cli, gateway, execs, request);
        // The guard comes first and so is let go last: an interrupted process waits until the report is out.
        try (var _ = cli.surroundings().interrupts().guard(exec::cancel);
                var progress = BringUpProgress.watch(cli, owner, sandbox.alias())) {
            JsonNode end = exec.run(path -> {
                progress.isUp();
                if (stdin) Thread.ofVirtual().name("stdin").start(new StdinPump(cli, gateway, path, exec::cancel));
            });
            return report(end, exec);
        } catch (IOException e) {
            exec.cancel();
            return ExitCode.OUTPUT_CLOSED;
        }
    }

    private int leave(GatewayClient gateway, String owner, String execs, ExecRequest request) throws Exception {
        JsonNode started;
        try (var _ = BringUpProgress.watch(cli, owner, sandbox.alias())) {
            started = new Reconnects(cli.surroundings().pause()).post(gateway, execs, request.body());
        }
        cli.output().result(started, started.path("exec_id").asText());
        return ExitCode.OK;
    }

    private ExecRequest request() throws CliFailure {
        if (command.isPresent() == !words.isEmpty())
            throw CliFailure.usage("Give a command: either words, best after '--', or -c TEXT");
        var request = command.isPresent() ? ExecRequest.ofCommand(command.get()) : ExecRequest.ofWords(words);
        request.in(cwd)
                .with(env)
                .within(timeout)
                .login(login)
                .encoded(!background && !cli.output().json())
                .once();
        if (background) request.inBackground();
        if (!stdin) return request;
        return background ? request.stdin(cli.surroundings().in()) : request.withStdinOpen();
    }

    private int report(JsonNode end, RunningExec exec) throws GatewayClientException {
        // The last event tells how it ended; a document has the output too.
        if (cli.output().json()) cli.output().document(exec.result());
        return ExecEnd.of(end).report(cli.output());
    }
}
