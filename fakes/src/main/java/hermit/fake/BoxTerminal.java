package hermit.fake;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/// A program that runs in a terminal of a [Box]. Reading and writing may be done side by side, each by one
/// thread.
///
/// The terminal is made by `script` in the machine: the engine's own swallows the keys that detach from it,
/// and so does not let every byte through.
public final class BoxTerminal implements AutoCloseable {
    private final Box box;
    private final BoxProcess process;
    private final String file;

    private BoxTerminal(Box box, BoxProcess process, String file) {
        this.box = box;
        this.process = process;
        this.file = file;
    }

    /// `name` is a plain word that no other terminal of the machine has.
    static BoxTerminal open(Box box, String name, Box.Run run, int cols, int rows) throws InterruptedException {
        String file = "/tmp/.terminal-" + name;
        String start = "tty >%1$s; echo $$ >>%1$s; stty cols %2$d rows %3$d; eval \"exec $TERMINAL_COMMAND\""
                .formatted(file, cols, rows);
        var env = new java.util.HashMap<>(run.env());
        env.put("TERMINAL_COMMAND", words(run.argv()));
        env.put("SHELL", "/bin/sh");
        var argv = List.of("script", "-q", "-e", "-E", "always", "-c", start, "/dev/null");
        return new BoxTerminal(box, box.run(new Box.Run(run.user(), run.cwd(), env, argv)), file);
    }

    /// What the program printed; -1 at its end.
    public int read(byte[] into) {
        try {
            return process.stdout().read(into);
        } catch (IOException _) {
            return -1; // closed, or the machine is gone
        }
    }

    /// Types. Blocks while the program does not read; what it never reads is lost with it.
    public void write(byte[] bytes) {
        try {
            process.stdin().write(bytes);
            process.stdin().flush();
        } catch (IOException _) {
            // The program has ended: its reader learns of it.
        }
    }

    public void resize(int cols, int rows) throws InterruptedException {
        box.shell("root", "stty -F \"$(sed -n 1p %s)\" cols %d rows %d".formatted(file, cols, rows));
    }

    /// Of a program that has ended; 128+n where signal n ended it.
    public int exitCode() throws InterruptedException {
        try {
            return process.onExit().get();
        } catch (ExecutionException e) {
            throw new FakeFailure("the end of a terminal is not known", e);
        }
    }

    /// Ends the program with KILL; what it started in the terminal gets HUP.
    public void kill() throws InterruptedException {
        box.shell("root", "kill -KILL \"$(sed -n 2p %s)\" 2>/dev/null || true".formatted(file));
    }

    @Override
    public void close() {
        try {
            process.stdin().close();
            process.stdout().close();
        } catch (IOException e) {
            throw new FakeFailure("close a terminal: " + e.getMessage(), e);
        }
    }

    private static String words(List<String> argv) {
        var quoted = new ArrayList<String>();
        for (String word : argv) quoted.add("'" + word.replace("'", "'\\''") + "'");
        return String.join(" ", quoted);
    }
}
