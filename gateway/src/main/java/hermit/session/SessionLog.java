package hermit.session;

import hermit.session.SessionEvent.Draft;
import hermit.world.World;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The logs of all sessions: written through here, and followed from here. Followers pull from the store,
/// so that no event is held in memory for a slow one, and a follower that comes back after any time misses
/// nothing. What another gateway has written is found by [#poll].
public final class SessionLog {
    private static final Set<SessionEvent.Type> ALL_TYPES = EnumSet.allOf(SessionEvent.Type.class);
    /// How many events a follower is given at once.
    private static final int BATCH = 200;

    private final SessionStore store;
    private final World world;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<SessionId, Followed> followed = new HashMap<>();
    private long rechecks;

    public SessionLog(SessionStore store, World world) {
        this.store = store;
        this.world = world;
    }

    /// The events as they were written; none if the session is gone or, where it must be open, has ended.
    public List<SessionEvent> append(SessionId id, boolean mustBeOpen, Draft... drafts) {
        var events = store.append(id, List.of(drafts), mustBeOpen, world.now());
        if (!events.isEmpty()) announce(id, events.getLast().seq());
        return events;
    }

    /// Looks for what has been written to a session in another way than by [#append].
    public void changed(SessionId id) {
        if (isFollowed(id)) poll(Set.of(id));
    }

    /// Looks for what other gateways have written to the sessions that are followed here. Called all the
    /// time.
    public void poll() {
        Set<SessionId> ids;
        lock.lock();
        try {
            ids = Set.copyOf(followed.keySet());
        } finally {
            lock.unlock();
        }
        if (!ids.isEmpty()) poll(ids);
    }

    private boolean isFollowed(SessionId id) {
        lock.lock();
        try {
            return followed.containsKey(id);
        } finally {
            lock.unlock();
        }
    }

    private void poll(Set<SessionId> ids) {
        var last = store.lastSeqs(ids);
        for (SessionId id : ids) {
            Long seq = last.get(id);
            if (seq == null) gone(id);
            else announce(id, seq);
        }
    }

    /// Has every follower look whether it may still follow. Called now and then.
    public void recheck() {
        lock.lock();
        try {
            rechecks++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The session has been deleted: who follows it comes to the end.
    void gone(SessionId id) {
        lock.lock();
        try {
            Followed there = followed.get(id);
            if (there == null) return;
            there.gone = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Follows from behind that event. The caller closes it.
    public Follower follow(SessionId id, long after) {
        lock.lock();
        try {
            followed.computeIfAbsent(id, _ -> new Followed()).followers++;
            return new Follower(id, after, rechecks);
        } finally {
            lock.unlock();
        }
    }

    private void announce(SessionId id, long seq) {
        lock.lock();
        try {
            Followed there = followed.get(id);
            if (there == null || there.last >= seq) return;
            there.last = seq;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static final class Followed {
        private int followers;
        private long last;
        private boolean gone;
    }

    /// What a follower learns next.
    public sealed interface Next {
        /// At least one, in order.
        record Events(List<SessionEvent> events) implements Next {}

        /// Nothing is new; it is time to look whether one may still follow.
        record Recheck() implements Next {}

        /// The session has been deleted.
        record Gone() implements Next {}
    }

    /// One reader's place in a log. Used by one thread.
    public final class Follower implements AutoCloseable {
        private final SessionId id;
        private long after;
        private long seenRechecks;
        private boolean caughtUp;
        private boolean closed;

        private Follower(SessionId id, long after, long seenRechecks) {
            this.id = id;
            this.after = after;
            this.seenRechecks = seenRechecks;
        }

        /// Waits for as long as it takes.
        public Next next() throws InterruptedException {
            while (true) {
                if (caughtUp) {
                    lock.lockInterruptibly();
                    try {
                        Followed there = followed.get(id);
                        while (there != null && !there.gone && there.last <= after && seenRechecks == rechecks)
                            changed.await();
                        if (there == null || there.gone) return new Next.Gone();
                        if (there.last <= after) {
                            seenRechecks = rechecks;
                            return new Next.Recheck();
                        }
                    } finally {
                        lock.unlock();
                    }
                }
                var events = store.events(id, after, ALL_TYPES, BATCH);
                caughtUp = events.size() < BATCH;
                if (events.isEmpty()) continue;
                after = events.getLast().seq();
                return new Next.Events(events);
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (closed) return;
                closed = true;
                Followed there = followed.get(id);
                if (there != null && --there.followers == 0) followed.remove(id);
            } finally {
                lock.unlock();
            }
        }
    }
}
