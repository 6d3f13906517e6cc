package hermit.sandbox;

import hermit.problem.GatewayException.Conflict;
import hermit.problem.ProblemCode;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes a row's lease, waits for it where another gateway has it, and keeps it alive while it is held:
/// a pull may take longer than a lease lasts.
final class RowLease {
    private static final Logger log = LoggerFactory.getLogger(RowLease.class);
    /// After a gateway died in the middle of something, others wait no longer than this.
    private static final Duration LASTS = Duration.ofSeconds(30);

    private static final Duration RENEW_EVERY = Duration.ofSeconds(10);
    private static final Duration POLL_EVERY = Duration.ofMillis(100);
    /// A first start may have to pull an image.
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final LeaseStore store;
    private final UUID gateway;
    private final World world;

    RowLease(LeaseStore store, UUID gateway, World world) {
        this.store = store;
        this.gateway = gateway;
        this.world = world;
    }

    /// Held until closed.
    Held hold(SandboxId id) throws InterruptedException {
        Instant giveUp = world.now().plus(PATIENCE);
        while (!take(id)) {
            if (world.now().isAfter(giveUp))
                throw new Conflict(ProblemCode.BUSY, "Another gateway works on this sandbox", LASTS);
            world.pause().of(POLL_EVERY);
        }
        return new Held(id, Thread.ofVirtual().name("lease-" + id).start(() -> keep(id)));
    }

    private boolean take(SandboxId id) {
        Instant now = world.now();
        return store.acquire(id, gateway, now, now.plus(LASTS));
    }

    private void keep(SandboxId id) {
        try {
            while (true) {
                world.pause().of(RENEW_EVERY);
                if (!take(id)) {
                    log.warn("the lease on sandbox {} was lost to another gateway", id);
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // let go: the holder is done
        } catch (RuntimeException e) {
            log.warn("the lease on sandbox {} could not be renewed: {}", id, e.toString());
        }
    }

    final class Held implements AutoCloseable {
        private final SandboxId id;
        private final Thread keeper;

        private Held(SandboxId id, Thread keeper) {
            this.id = id;
            this.keeper = keeper;
        }

        @Override
        public void close() {
            keeper.interrupt();
            joinKeeper();
            store.release(id, gateway);
        }

        /// Waits even if interrupted: a renewal that comes after the release would take the lease again.
        private void joinKeeper() {
            boolean interrupted = false;
            while (true) {
                try {
                    keeper.join();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) Thread.currentThread().interrupt();
        }
    }
}
