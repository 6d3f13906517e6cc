package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// One run of the command line: reads the arguments, runs the command, and makes an exit code and at most one JSON
/// document of whatever comes of it.
final class Cli {
    private final Surroundings surroundings;
    private final Output output;
    private final CliContext context;

    Cli(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.output = new Output(surroundings);
        this.context = new CliContext(surroundings, output);
    }

    int run(String... args) {
        try {
            CommandLine commands = Commands.about(context, args);
            commands.setExecutionStrategy(this::execute);
            commands.setParameterExceptionHandler(this::misused);
            commands.setExecutionExceptionHandler((e, commandLine, _) -> failed(e, commandLine));
            return commands.execute(args);
        } catch (UncheckedIOException e) {
            // Whoever read our output has gone; there is nobody left to tell.
            return ExitCode.OUTPUT_CLOSED;
        }
    }

    private int execute(ParseResult parsed) {
        for (ParseResult each : chain(parsed)) {
            CommandLine commandLine = each.commandSpec().commandLine();
            if (each.isUsageHelpRequested()) {
                output.text("help", Commands.help(commandLine, output.colours()));
                return ExitCode.OK;
            }
            if (each.isVersionHelpRequested()) {
                output.text("version", surroundings.variable("HERMIT_VERSION").orElse("unknown"));
                return ExitCode.OK;
            }
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static List<ParseResult> chain(ParseResult parsed) {
        var chain = new java.util.ArrayList<ParseResult>();
        for (ParseResult each = parsed; ; each = each.subcommand()) {
            chain.add(each);
            if (!each.hasSubcommand()) return chain;
        }
    }

    private int misused(ParameterException e, String[] args) {
        // The mistake may have ended the reading of the arguments before --json was reached.
        int end = Arrays.asList(args).indexOf("--");
        if (Arrays.asList(args).subList(0, end < 0 ? args.length : end).contains("--json")) output.useJson();
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        var detail = "%s (see: %s --help)".formatted(e.getMessage(), spec.qualifiedName());
        output.problem(CliFailure.problem("usage", detail), detail);
        return spec.exitCodeOnInvalidInput();
    }

    private int failed(Exception e, CommandLine commandLine) throws Exception {
        int code = switch (e) {
            case GatewayClientException failure -> {
                output.problem(document(failure), detail(failure));
                yield ExitCode.of(failure);
            }
            case CliFailure failure -> {
                output.problem(failure.document(), failure.detail());
                yield failure.exitCode();
            }
            default -> throw e;
        };
        // A command that hands on another's exit code keeps ours apart from it.
        return commandLine.getCommandSpec().exitCodeOnExecutionException() == ExitCode.NOT_RUN
                ? ExitCode.NOT_RUN
                : code;
    }

    private static ObjectNode document(GatewayClientException failure) {
        return switch (failure) {
            case Refused refused -> refused.document();
            case GatewayClientException.Unreachable unreachable ->
                CliFailure.problem("unreachable", detail(unreachable));
        };
    }

    private static String detail(GatewayClientException failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}
