package hermit.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The terminal on stdin, which does not show what is typed while it is asked. `stty` can do that on every
/// system, also where stdout is none; [PosixTerminal] needs a terminal there as well. It is given back as it
/// was found when the answer has come and, if the process is asked to end before that, in a shutdown hook.
record TerminalPrompt(InputStream in, OutputStream err) implements SecretPrompt {
    @Override
    public Optional<String> ask(String question) throws CliFailure {
        var modes = stty("-g").strip();
        var hook = new Thread(() -> giveBack(modes), "give the terminal back");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            stty("-echo");
            say(question);
            return Optional.of(line());
        } catch (IOException e) {
            throw CliFailure.local("terminal", "read from the terminal: " + e.getMessage());
        } finally {
            giveBack(modes);
            // The end of the line that was typed has not been shown either.
            say("\n");
            forget(hook);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is running already, and does the same once more.
            return;
        }
    }

    private String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int key = in.read(); key >= 0 && key != '\n'; key = in.read()) line.write(key);
        return line.toString(StandardCharsets.UTF_8);
    }

    private void say(String text) {
        try {
            err.write(text.getBytes(StandardCharsets.UTF_8));
            err.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void giveBack(String modes) {
        try {
            stty(modes);
        } catch (CliFailure e) {
            // It worked a moment ago; what is left to do is on the screen of whoever sits there: `stty sane`.
            return;
        }
    }

    private static String stty(String argument) throws CliFailure {
        try {
            Process stty = new ProcessBuilder("stty", argument)
                    .redirectInput(Redirect.INHERIT)
                    .redirectErrorStream(true)
                    .start();
            var said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (stty.waitFor() == 0) return said;
            throw unable(said.strip());
        } catch (IOException e) {
            throw unable(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unable("interrupted");
        }
    }

    private static CliFailure unable(String why) {
        return CliFailure.local(
                "terminal",
                "The terminal cannot be told not to show what is typed (%s): send the secret to stdin through a pipe"
                        .formatted(why));
    }
}
