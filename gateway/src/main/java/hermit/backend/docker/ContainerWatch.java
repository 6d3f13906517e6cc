package hermit.backend.docker;

import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventType;
import hermit.backend.keeper.Scheduler;
import hermit.problem.GatewayException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Hears from the engine when one of our containers is paused, ended, renamed or removed, so that
/// nobody has to ask before every command: an inspect costs 1 to 3 ms, which is as much as a warm
/// command itself.
///
/// The keeper's stream alone would not do: it breaks when a container ends, but a paused one just falls
/// silent. While the events are not connected, nothing is known to be unchanged, and every command is
/// preceded by an ensure.
final class ContainerWatch implements AutoCloseable {
    /// Of a container, that it can no longer run commands as it did, or not under its name.
    private static final String[] EVENTS = {"pause", "die", "destroy", "rename"};
    /// The engine begins its answer before it has subscribed us. Events from a little before are asked for as well.
    private static final Duration OVERLAP = Duration.ofSeconds(10);

    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    /// More names than that are forgotten together.
    private static final int MOST_NAMES = 50_000;

    private final Engine engine;
    private final UUID instance;
    private final Scheduler scheduler;
    private final AtomicLong sequence = new AtomicLong();
    private final Map<String, Long> lastChange = new ConcurrentHashMap<>();
    /// When the events were connected, in our own counting; 0 while they are not.
    private volatile long connectedAt;

    private @Nullable Thread follower;
    private boolean closed;

    ContainerWatch(Engine engine, UUID instance, Scheduler scheduler) {
        this.engine = engine;
        this.instance = instance;
        this.scheduler = scheduler;
    }

    /// A moment. To be taken before looking at what is later asked about.
    long now() {
        start();
        return sequence.incrementAndGet();
    }

    /// Whether a container is certainly as it was at this moment.
    boolean unchangedSince(String name, long moment) {
        long connected = connectedAt;
        return connected != 0 && connected < moment && lastChange.getOrDefault(name, 0L) < moment;
    }

    @Override
    public void close() {
        Optional<Thread> running;
        synchronized (this) {
            closed = true;
            running = Optional.ofNullable(follower);
        }
        running.ifPresent(Thread::interrupt);
    }

    private synchronized void start() {
        if (follower == null && !closed)
            follower = Thread.ofVirtual().name("docker-events").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                try {
                    follow();
                } catch (GatewayException _) {
                    // The engine is away. Whoever needs it says so; here it only means that nothing is known.
                } finally {
                    connectedAt = 0;
                }
                scheduler.pause(BETWEEN_TRIES);
            }
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    private void follow() throws InterruptedException {
        engine.follow("follow the engine's events", client -> {
            var following = new Following<Event>(() -> connectedAt = sequence.incrementAndGet(), this::take);
            client.eventsCmd()
                    .withSince(Long.toString(scheduler.instant().minus(OVERLAP).getEpochSecond()))
                    .withEventTypeFilter(EventType.CONTAINER)
                    .withEventFilter(EVENTS)
                    .withLabelFilter(Labels.INSTANCE + "=" + instance)
                    .exec(following);
            following.await();
            return true;
        });
    }

    private void take(Event event) {
        var actor = event.getActor();
        if (actor == null || actor.getAttributes() == null) return;
        if (lastChange.size() > MOST_NAMES) {
            connectedAt = sequence.incrementAndGet(); // all moments from before count as changed
            lastChange.clear();
        }
        for (String key : new String[] {"name", "oldName"}) {
            String name = actor.getAttributes().get(key);
            if (name != null)
                lastChange.put(name.startsWith("/") ? name.substring(1) : name, sequence.incrementAndGet());
        }
    }
}
