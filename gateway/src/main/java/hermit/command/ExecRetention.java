package hermit.command;

import hermit.world.World;
import java.time.Duration;

/// How long, and how much, is kept of commands that have ended. What goes, goes in small pieces, so that the database
/// is never held for long.
public final class ExecRetention {
    private static final int PIECE = 500;

    private final ExecStore store;
    private final Duration keep;
    private final long outputBytes;
    private final World world;

    /// - `keep`: since a command's end; then it goes with its output.
    /// - `outputBytes`: of output, of all commands together; beyond it the output that is oldest goes.
    public ExecRetention(ExecStore store, Duration keep, long outputBytes, World world) {
        this.store = store;
        this.keep = keep;
        this.outputBytes = outputBytes;
        this.world = world;
    }

    /// Removes commands that ended long ago.
    public void sweep() throws InterruptedException {
        while (store.prune(world.now().minus(keep), PIECE) == PIECE)
            if (Thread.interrupted()) throw new InterruptedException();
    }

    /// Removes output beyond the quota. The commands stay, and a note of each says where its output is.
    public void keepToQuota() throws InterruptedException {
        String note = "its output is not kept any more: all commands together had more than retention.exec_output_bytes"
                + " (%d)".formatted(outputBytes);
        long over = store.outputBytes() - outputBytes;
        while (over > 0) {
            long gone = store.dropOutput(over, PIECE, note);
            if (gone == 0) return; // another gateway was faster
            over -= gone;
            if (Thread.interrupted()) throw new InterruptedException();
        }
    }
}
