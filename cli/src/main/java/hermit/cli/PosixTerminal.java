package hermit.cli;

import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The terminal on stdin and stdout. It is given back as it was found, to the last bit, when it is closed
/// and, if the process is asked to end before that, in a shutdown hook.
final class PosixTerminal implements LocalTerminal {
    /// Lives as long as the process: the shutdown hook may come at any moment.
    private final MemorySegment found;

    private final Thread hook = new Thread(this::giveBack, "give the terminal back");
    private boolean raw;

    private PosixTerminal(MemorySegment found) {
        this.found = found;
    }

    static LocalTerminal open() throws CliFailure {
        var found = CLibrary.modes(Arena.global());
        if (found.isEmpty()) return LocalTerminals.NONE.open();
        return new PosixTerminal(found.get());
    }

    @Override
    public Size size() {
        return CLibrary.size();
    }

    @Override
    public void onResize(Runnable action) {
        Signals.whenAsked("WINCH", action);
    }

    @Override
    public synchronized void makeRaw() {
        if (raw) return;
        Runtime.getRuntime().addShutdownHook(hook);
        raw = true;
        try (var arena = Arena.ofConfined()) {
            if (!CLibrary.set(CLibrary.raw(found, arena)))
                throw new IllegalStateException("the terminal on stdin does not become raw");
        }
    }

    @Override
    public InputStream keys() {
        return System.in;
    }

    @Override
    public void close() {
        if (!giveBack()) return;
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is running already, and finds nothing to do.
            return;
        }
    }

    /// Whether there was something to give back.
    private synchronized boolean giveBack() {
        boolean was = raw;
        if (was) CLibrary.set(found);
        raw = false;
        return was;
    }
}
