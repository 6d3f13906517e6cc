package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `hermit sandbox logs`.
@Command(
        name = "logs",
        description = {
            "Prints what a command has printed so far: its stdout on stdout, its stderr on stderr.",
            "",
            "With --follow, goes on until the command ends, and exits with its code, or with 125 if there is none. Ctrl-C leaves"
                    + " the command running.",
            ""
        })
final class SandboxLogs implements Callable<Integer> {
    private static final Pattern OFFSETS = Pattern.compile("(\\d{1,18})(?::(\\d{1,18}))?");

    private final CliContext cli;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    @Mixin
    private ExecWords words = new ExecWords();

    @Option(
            names = {"-f", "--follow"},
            description = "Go on until the command ends.")
    private boolean follow;

    @Option(
            names = "--since-offset",
            paramLabel = "STDOUT[:STDERR]",
            description = "Begin behind so many bytes of each stream. Default: 0:0.")
    private String since = "0";

    SandboxLogs(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        // From here on, exit codes below 125 are the command's.
        if (follow) spec.exitCodeOnExecutionException(ExitCode.NOT_RUN);
        var offsets = OFFSETS.matcher(since);
        if (!offsets.matches())
            throw CliFailure.usage("--since-offset is '%s', but must be like 4096 or 4096:0".formatted(since));
        long stdout = Long.parseLong(offsets.group(1));
        long stderr = offsets.group(2) == null ? 0 : Long.parseLong(offsets.group(2));
        GatewayClient gateway = cli.gateway();
        var exec = words.path(cli);
        var passed = new PassedOutput(cli.output(), stdout, stderr);
        try {
            if (follow) return follow(gateway, exec, passed);
            if (cli.output().json()) cli.output().document(gateway.get(exec + range("utf8", passed)));
            else print(gateway, exec, passed);
            return ExitCode.OK;
        } catch (IOException e) {
            return ExitCode.OUTPUT_CLOSED;
        }
    }

    private int follow(GatewayClient gateway, String exec, PassedOutput passed) throws Exception {
        var beginning = Optional.of("%d:%d".formatted(passed.seen(false), passed.seen(true)));
        JsonNode end = new Following(
                        cli,
                        last -> gateway.resume(exec + "/events?encoding=base64", last.or(() -> beginning)),
                        passed::take)
                .toTheEnd();
        if (cli.output().json()) cli.output().document(gateway.get(exec + range("utf8", passed)));
        return ExecEnd.of(end).report(cli.output());
    }

    /// Piece by piece, up to where the command was when we asked first: one that prints faster than we read
    /// would keep us here.
    private void print(GatewayClient gateway, String exec, PassedOutput passed)
            throws GatewayClientException, IOException {
        JsonNode piece = gateway.get(exec + range("base64", passed));
        long stdoutEnd = end(piece, "stdout");
        long stderrEnd = end(piece, "stderr");
        while (true) {
            boolean moreStdout = pass(piece, "stdout", passed);
            boolean moreStderr = pass(piece, "stderr", passed);
            boolean all = passed.seen(false) >= stdoutEnd && passed.seen(true) >= stderrEnd;
            if (all || !(moreStdout || moreStderr)) break;
            piece = gateway.get(exec + range("base64", passed));
        }
        passed.goOnAt(false, stdoutEnd);
        passed.goOnAt(true, stderrEnd);
    }

    private static String range(String encoding, PassedOutput passed) {
        return "?encoding=%s&stdout_offset=%d&stderr_offset=%d"
                .formatted(encoding, passed.seen(false), passed.seen(true));
    }

    private static long end(JsonNode piece, String stream) {
        return piece.path(stream + "_next_offset").asLong()
                + piece.path(stream + "_dropped_bytes").asLong();
    }

    /// Whether there was anything.
    private static boolean pass(JsonNode piece, String stream, PassedOutput passed) throws IOException {
        byte[] bytes = Base64.getDecoder().decode(piece.path(stream).asText());
        if (bytes.length == 0) return false;
        passed.piece(stream.equals("stderr"), piece.path(stream + "_offset").asLong(), bytes);
        return true;
    }
}
