package hermit.approval;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Wakes those who wait for approvals to change. What another gateway has changed is found by [#poll].
public final class ApprovalFeed {
    private final ApprovalStore store;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long latest;
    private int waiting;

    public ApprovalFeed(ApprovalStore store) {
        this.store = store;
    }

    /// Looks for changes if anybody waits for some. Called all the time.
    public void poll() {
        lock.lock();
        try {
            if (waiting == 0) return;
        } finally {
            lock.unlock();
        }
        announce(store.revision());
    }

    /// The newest revision that is known here.
    long latest() {
        lock.lock();
        try {
            return latest;
        } finally {
            lock.unlock();
        }
    }

    void announce(long revision) {
        lock.lock();
        try {
            if (revision <= latest) return;
            latest = revision;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until something has changed after that revision, as far as is known here, at most for
    /// `patience`.
    void await(long revision, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            waiting++;
            try {
                while (latest <= revision && left > 0) left = changed.awaitNanos(left);
            } finally {
                waiting--;
            }
        } finally {
            lock.unlock();
        }
    }
}
