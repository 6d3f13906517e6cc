package hermit.cli;

import hermit.cli.LocalTerminal.Size;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/// A process that takes its terminal over and says what it sees of it: with `stays`, up to the end of the
/// terminal's keys; with `killed`, until a signal ends it.
final class PosixTerminalProgram {
    private PosixTerminalProgram() {}

    public static void main(String[] args) throws Exception {
        var resized = new CountDownLatch(1);
        try (LocalTerminal terminal = PosixTerminal.open()) {
            say("size " + shown(terminal.size()));
            terminal.onResize(resized::countDown);
            terminal.makeRaw();
            say("raw " + run("stty -g"));
            run("stty cols 133 rows 41");
            resized.await();
            say("resized " + shown(terminal.size()));
            if (args[0].equals("killed")) {
                run("kill -TERM " + ProcessHandle.current().pid());
                Thread.currentThread().join();
            }
            // In raw mode this is a key like any other.
            byte[] keys = new byte[10];
            int length = terminal.keys().read(keys);
            say("keys " + new String(keys, 0, length, StandardCharsets.US_ASCII).replace("\003", "ctrl-c"));
        }
    }

    private static String shown(Size size) {
        return size.columns() + "x" + size.rows();
    }

    private static void say(String text) {
        System.out.print(text + "\r\n");
        System.out.flush();
    }

    /// Runs it at this terminal.
    private static String run(String command) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", command)
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        process.waitFor();
        return said.strip();
    }
}
