package hermit.fake;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Calls of the `docker` program, which knows where its engine is.
final class Docker {
    private Docker() {}

    static List<String> command(String... words) {
        var command = new ArrayList<>(List.of("docker"));
        command.addAll(List.of(words));
        return command;
    }

    /// What it printed. Throws [FakeFailure] with what it said on stderr if it fails.
    static String call(List<String> command) throws InterruptedException {
        try {
            var process = new ProcessBuilder(command).start();
            process.getOutputStream().close();
            var said = new StringBuilder();
            var listener = Thread.ofVirtual().start(() -> said.append(text(process.getErrorStream())));
            String printed = text(process.getInputStream());
            int code = process.waitFor();
            listener.join();
            if (code != 0) throw new FakeFailure("%s: %s".formatted(command, said));
            return printed.strip();
        } catch (IOException e) {
            throw new FakeFailure("run %s: %s".formatted(command.getFirst(), e.getMessage()), e);
        }
    }

    private static String text(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(its output could not be read: %s)".formatted(e.getMessage());
        }
    }
}
