package hermit.fake;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/// A program that runs in a [Box].
public final class BoxProcess {
    private final Box box;
    private final Process process;
    private final InputStream stderr;
    private final int pid;

    private BoxProcess(Box box, Process process, InputStream stderr, int pid) {
        this.box = box;
        this.process = process;
        this.stderr = stderr;
        this.pid = pid;
    }

    /// Reads the process id, which is the first line of stderr.
    static BoxProcess follow(Box box, Process process) {
        var stderr = new BufferedInputStream(process.getErrorStream());
        try {
            return new BoxProcess(box, process, stderr, Integer.parseInt(line(stderr)));
        } catch (IOException | NumberFormatException e) {
            process.destroyForcibly();
            throw new FakeFailure("start a program in a container: " + e.getMessage(), e);
        }
    }

    /// Within the machine.
    public int pid() {
        return pid;
    }

    public InputStream stdout() {
        return process.getInputStream();
    }

    public InputStream stderr() {
        return stderr;
    }

    public OutputStream stdin() {
        return process.getOutputStream();
    }

    /// Completed with the exit code; 128+n where signal n ended it, as the engine has it.
    public CompletableFuture<Integer> onExit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /// Sends a signal, e.g. `TERM`, to the process alone. One that has ended ignores it.
    public void signal(String name) throws InterruptedException {
        signal(name, Integer.toString(pid));
    }

    /// To its whole process group.
    public void signalGroup(String name) throws InterruptedException {
        signal(name, "-" + pid);
    }

    private void signal(String name, String target) throws InterruptedException {
        box.shell("root", "kill -s %s -- %s 2>/dev/null || true".formatted(name, target));
    }

    private static String line(InputStream stream) throws IOException {
        var line = new StringBuilder();
        for (int c = stream.read(); c != '\n'; c = stream.read()) {
            if (c < 0) throw new EOFException(line.isEmpty() ? "it said nothing" : line.toString());
            line.append((char) c);
        }
        return line.toString();
    }
}
