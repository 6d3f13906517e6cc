package hermit.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The `hermit` script that started this process. It alone knows how the gateway's program and the scripts are run,
/// so whoever needs one of them goes through it.
record Launcher(Path script, Map<String, String> env) {
    /// How a program ended, with all that it printed.
    record Outcome(int exitCode, String out, String err) {}

    static Launcher of(Surroundings surroundings) throws CliFailure {
        return surroundings
                .variable("HERMIT_LAUNCHER")
                .map(path -> new Launcher(Path.of(path), surroundings.env()))
                .orElseThrow(() -> CliFailure.local(
                        "no_launcher",
                        "This needs to be run through the 'hermit' launcher (HERMIT_LAUNCHER is not set)"));
    }

    /// A call of it that sees the variables that we see.
    ProcessBuilder command(String... arguments) {
        var builder = new ProcessBuilder(script.toString());
        builder.command().addAll(List.of(arguments));
        builder.environment().clear();
        builder.environment().putAll(env);
        return builder;
    }

    /// Runs it to its end, with `more` on top of these variables.
    Outcome run(Map<String, String> more, String... arguments) throws CliFailure, InterruptedException {
        ProcessBuilder builder = command(arguments);
        builder.environment().putAll(more);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            var errors = new StringBuilder();
            Thread drain = Thread.ofVirtual().start(() -> drain(process, errors));
            var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            drain.join();
            return new Outcome(process.waitFor(), out, errors.toString());
        } catch (IOException e) {
            throw CliFailure.local("launcher", "run %s: %s".formatted(script, e.getMessage()));
        }
    }

    private static void drain(Process process, StringBuilder errors) {
        try (var stream = process.getErrorStream()) {
            errors.append(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            errors.append("(reading its messages failed: ")
                    .append(e.getMessage())
                    .append(')');
        }
    }
}
