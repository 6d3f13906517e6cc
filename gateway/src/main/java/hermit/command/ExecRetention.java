package hermit.command;

import hermit.world.World;
import java.time.Duration;

/// Removes commands that ended long ago, with their output, in small pieces so that the database is never held for
/// long.
public final class ExecRetention {
    private static final int PIECE = 500;

    private final ExecStore store;
    private final Duration keep;
    private final World world;

    public ExecRetention(ExecStore store, Duration keep, World world) {
        this.store = store;
        this.keep = keep;
        this.world = world;
    }

    public void sweep() throws InterruptedException {
        while (store.prune(world.now().minus(keep), PIECE) == PIECE)
            if (Thread.interrupted()) throw new InterruptedException();
    }
}
