package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.JsonTree;
import hermit.cli.ShellSession.Arrival;
import hermit.cli.ShellSession.Outcome;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `hermit sandbox shell`.
@Command(
        name = "shell",
        description = {
            "Opens a terminal in a sandbox, and exits with the code of the shell.",
            "",
            "ALIAS is the sandbox, as by --alias. Words after '--' are a command to run instead of the login shell. Every"
                    + " key goes there, Ctrl-C too; only the detach key leaves, and the terminal goes on. 125: there was no"
                    + " terminal, or how it ended is unknown.",
            ""
        },
        customSynopsis = "hermit sandbox shell [OPTIONS] [ALIAS] [-- COMMAND...]",
        exitCodeOnInvalidInput = ExitCode.NOT_RUN,
        exitCodeOnExecutionException = ExitCode.NOT_RUN)
final class SandboxShell implements Callable<Integer> {
    /// What programs in the sandbox want to know of the terminal here.
    private static final List<String> ABOUT_THE_TERMINAL = List.of("TERM", "COLORTERM");

    private final CliContext cli;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    @Mixin
    private SandboxOption sandbox = new SandboxOption();

    @Option(names = "--cwd", paramLabel = "DIR", description = "Where it begins. Default: the agent home.")
    private Optional<String> cwd = Optional.empty();

    @Option(
            names = {"-e", "--env"},
            paramLabel = "K=V",
            description = "A variable for it; may be given several times.")
    private Map<String, String> env = new LinkedHashMap<>();

    @Option(
            names = "--attach",
            paramLabel = "TERMINAL_ID",
            description = "Join a terminal that is there, and take its keyboard.")
    private Optional<String> attach = Optional.empty();

    @Option(names = "--view", description = "With --attach: only look on, and let others keep the keyboard.")
    private boolean view;

    @Option(
            names = "--detach-key",
            paramLabel = "KEY",
            converter = DetachKey.Reader.class,
            defaultValue = DetachKey.USUAL,
            description = "The key that leaves: such as Ctrl-P, or none. Default: ${DEFAULT-VALUE}.")
    private DetachKey detachKey = DetachKey.NONE;

    @Parameters(paramLabel = "ALIAS", arity = "0..*", hidden = true)
    private List<String> words = List.of();

    SandboxShell(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        if (cli.output().json())
            throw CliFailure.usage("A terminal makes no JSON document. For a command's result: sandbox exec --json");
        var arguments = arguments();
        var owner = sandbox.agent(cli);
        var path = Sandboxes.path(owner, arguments.alias());
        GatewayClient gateway = cli.gateway();
        var asked = new Asked();
        try (var _ = cli.surroundings().interrupts().guard(asked::toLeave);
                LocalTerminal local = cli.surroundings().terminals().open()) {
            String id = attach.isPresent()
                    ? attach.get()
                    : create(gateway, path + "/terminals", owner, arguments, local.size(), asked);
            var session = new ShellSession(cli, gateway, path, id, local, detachKey, arrival());
            return stay(session, local, asked, comeBack(owner, arguments.alias(), id));
        } catch (IOException e) {
            return ExitCode.OUTPUT_CLOSED;
        }
    }

    private int stay(ShellSession session, LocalTerminal local, Asked asked, String comeBack)
            throws GatewayClientException, IOException, InterruptedException {
        if (detachKey.code() >= 0)
            cli.output().note("%s leaves, and the terminal goes on; to come back: %s".formatted(detachKey, comeBack));
        Outcome outcome;
        try (local) {
            asked.is(session::leave);
            outcome = session.run();
        } catch (Unreachable e) {
            cli.output().note("To try to come back: " + comeBack);
            throw e;
        }
        return switch (outcome) {
            case Outcome.Ended(ExecEnd how) -> how.report(cli.output());
            case Outcome.Left _ -> {
                cli.output().note("Left. The terminal goes on; to come back: " + comeBack);
                yield ExitCode.OK;
            }
        };
    }

    private Arrival arrival() {
        if (attach.isEmpty()) return Arrival.NEW;
        return view ? Arrival.LOOKING_ON : Arrival.TAKING_OVER;
    }

    private String create(
            GatewayClient gateway,
            String terminals,
            String owner,
            Arguments arguments,
            LocalTerminal.Size size,
            Asked asked)
            throws GatewayClientException, CliFailure {
        ObjectNode body = arguments.command().isEmpty()
                ? JsonTree.object()
                : ExecRequest.ofWords(arguments.command()).body();
        if (size.isKnown()) body.put("cols", size.columns()).put("rows", size.rows());
        cwd.ifPresent(directory -> body.put("cwd", directory));
        ObjectNode variables = body.putObject("env");
        for (String name : ABOUT_THE_TERMINAL)
            cli.surroundings().variable(name).ifPresent(value -> variables.put(name, value));
        env.forEach(variables::put);
        JsonNode terminal;
        try (var _ = BringUpProgress.watch(cli, owner, arguments.alias())) {
            terminal = gateway.post(terminals, body);
        }
        var id = terminal.path("id").asText();
        if (asked.already()) {
            // Whoever asked for it does not want it any more.
            gateway.delete(terminals + "/" + GatewayClient.encode(id));
            throw CliFailure.local("interrupted", "Interrupted before the terminal was there");
        }
        return id;
    }

    /// - `command`: what to run instead of the login shell; empty if nothing is.
    private record Arguments(String alias, List<String> command) {}

    /// What stands before `--` is ours, and what stands behind it is the command's.
    private Arguments arguments() throws CliFailure {
        var given = spec.commandLine().getParseResult().originalArgs();
        int end = given.indexOf("--");
        int ours = end < 0 ? words.size() : words.size() - (given.size() - end - 1);
        if (ours > 1) throw CliFailure.usage("Only one ALIAS, and the words of a command behind '--'");
        var command = words.subList(ours, words.size());
        if (view && attach.isEmpty()) throw CliFailure.usage("--view is for a terminal that is there: --attach it");
        if (attach.isPresent() && !(command.isEmpty() && cwd.isEmpty() && env.isEmpty()))
            throw CliFailure.usage("A terminal that is there has its command already: only --attach it");
        return new Arguments(sandbox.alias(words.subList(0, ours).stream().findFirst()), command);
    }

    private static String comeBack(String owner, String alias, String id) {
        return "hermit sandbox shell --agent %s %s --attach %s".formatted(owner, alias, id);
    }

    /// That this process was asked to end, for whoever can do something about it by then.
    private static final class Asked {
        private boolean already;
        private Runnable leave = () -> {};

        synchronized void toLeave() {
            already = true;
            leave.run();
        }

        synchronized boolean already() {
            return already;
        }

        /// From now on, this is how to leave.
        synchronized void is(Runnable way) {
            leave = way;
            if (already) way.run();
        }
    }
}
