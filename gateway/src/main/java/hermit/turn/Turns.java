package hermit.turn;

import hermit.agent.Agent;
import hermit.agent.Agents;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.RateLimited;
import hermit.problem.GatewayException.Unsupported;
import hermit.session.Author;
import hermit.session.Session;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import hermit.session.SessionLog;
import hermit.session.Sessions;
import hermit.session.Sessions.Entered;
import hermit.tool.Cancellation;
import hermit.turn.RunningTurn.Stop;
import hermit.turn.TurnStore.Lease;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The answers to messages: queued when a message comes, begun when it is their time, each on a thread of
/// its own.
///
/// What runs here is known here; what is stored decides. A turn that is stored as running and that nobody
/// runs, because its gateway went away, is ended by whoever finds it, and nothing of it is done again.
public final class Turns implements Cancellation.Answering, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);
    private static final Duration CLOSING_TAKES = Duration.ofSeconds(5);
    /// How often it is looked whether a turn has ended that another gateway runs.
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    /// In one session. Nobody waits for the answer to more.
    static final int MOST_WAITING = 50;

    private static final Duration RETRY_AFTER = Duration.ofSeconds(10);

    private final TurnStore store;
    private final SessionLog log;
    private final Agents agents;
    private final Models models;
    private final TurnLoop loop;
    private final Abandoned abandoned;
    private final TurnLimits limits;
    private final TurnListener listener;
    private final UUID gateway;
    private final World world;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final Map<TurnId, Running> running = new HashMap<>();
    private boolean closed;
    /// Whether a turn had to wait because too many ran.
    private boolean full;

    public Turns(
            TurnStore store,
            SessionLog log,
            Agents agents,
            Models models,
            TurnLoop loop,
            Abandoned abandoned,
            TurnLimits limits,
            TurnListener listener,
            UUID gateway,
            World world) {
        this.store = store;
        this.log = log;
        this.agents = agents;
        this.models = models;
        this.loop = loop;
        this.abandoned = abandoned;
        this.limits = limits;
        this.listener = listener;
        this.gateway = gateway;
        this.world = world;
    }

    private record Running(Turn turn, RunningTurn state, Thread thread) {}

    /// What was said, and the turn that answers it, if the agent has a model.
    public record Posted(SessionEvent message, Optional<TurnId> turn) {}

    /// A turn, and what it has said last.
    public record Answered(Turn turn, String text) {}

    /// What models there are.
    public List<ModelInfo> models() {
        return models.all();
    }

    /// Says something in an open session. If the agent has a model, it is answered when all that was said
    /// before is.
    public Posted post(Entered entered, String text) {
        Session session = entered.session();
        var author = entered.actor().author();
        if (agent(entered).config().model().isEmpty()) {
            var said = log.append(session.id(), true, Sessions.said(entered, text, Map.of()));
            return new Posted(said.stream().findFirst().orElseThrow(Turns::hasEnded), Optional.empty());
        }
        requireRoom(author);
        if (store.waitingIn(session.id()) >= MOST_WAITING)
            throw new RateLimited(
                    "%d messages of this session wait for their answer".formatted(MOST_WAITING), RETRY_AFTER);
        var id = new TurnId(world.newId());
        var message = Sessions.said(entered, text, Map.of("turn_id", id.toString()));
        var said = store.post(session.id(), message, id, author, world.now()).orElseThrow(Turns::hasEnded);
        log.changed(session.id());
        beginNext(session.id()); // what is stored will be answered, if not now
        return new Posted(said, Optional.of(id));
    }

    private void requireRoom(Author author) {
        if (author instanceof Author.Admin || store.undoneOf(author) < limits.maxPerCaller()) return;
        throw new RateLimited(
                "%d of your messages wait for their answer, which is limits.turns_per_caller"
                        .formatted(limits.maxPerCaller()),
                RETRY_AFTER);
    }

    /// Throws [Unsupported] if nobody would answer.
    public void requireModel(Entered entered) {
        if (agent(entered).config().model().isEmpty())
            throw new Unsupported("This agent has no model, so nobody answers: choose one as `model` in its config");
    }

    /// Throws [NotFound].
    public Answered get(SessionId session, TurnId id) {
        return new Answered(find(session, id), store.lastText(id));
    }

    private Turn find(SessionId session, TurnId id) {
        return store.find(session, id).orElseThrow(() -> new NotFound("No such turn"));
    }

    /// The turn as it is when it has ended, or after `patience`.
    public Answered await(SessionId session, TurnId id, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            boolean over = find(session, id).end().isPresent();
            long left = deadline - System.nanoTime();
            if (over || left <= 0) return get(session, id);
            lock.lockInterruptibly();
            try {
                // What ends between the look and this is seen at the next look.
                if (running.containsKey(id)) ended.awaitNanos(left);
                else ended.awaitNanos(Math.min(left, LOOK_EVERY.toNanos()));
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public List<UUID> cancel(SessionId session) {
        Instant now = world.now();
        var cancelled = store.cancel(session, turn -> List.of(neverRan(turn, now)), now);
        if (cancelled.isEmpty()) return List.of();
        log.changed(session);
        var ids = cancelled.stream().map(Turn::id).collect(Collectors.toSet());
        stop(ids, Stop.CANCELLED);
        return cancelled.stream().map(each -> each.id().value()).toList();
    }

    /// Begins what waits, stops what is to end, and ends what nobody runs any more. Called all the time.
    public void sweep() {
        stop(store.toEnd(gateway), Stop.CANCELLED);
        stop(forgotten(), Stop.LOST);
        abandoned.end(abandonedNow());
        Instant now = world.now();
        store.noteWaiting(now);
        store.endOrphans(turn -> List.of(neverRan(turn, now)), now).forEach(each -> log.changed(each.session()));
        store.waiting(limits.maxConcurrent()).forEach(this::begin);
    }

    /// Lets all that run look at the time. Called several times a second.
    public void tick() {
        runningNow().forEach(each -> each.state().wake());
    }

    /// How many run here.
    public int count() {
        return runningNow().size();
    }

    /// Waits until all that run here have ended.
    public void settle() throws InterruptedException {
        for (Running each : runningNow()) each.thread().join();
    }

    /// Commands that turns have begun go on; the turns are over.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        var left = runningNow();
        left.forEach(each -> each.state().stop(Stop.CLOSING));
        try {
            for (Running each : left) each.thread().join(CLOSING_TAKES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stop(Set<TurnId> ids, Stop why) {
        for (Running each : runningNow())
            if (ids.contains(each.turn().id())) each.state().stop(why);
    }

    /// What runs here of sessions that have been deleted.
    private Set<TurnId> forgotten() {
        var here = runningNow().stream().map(each -> each.turn().id()).collect(Collectors.toSet());
        if (here.isEmpty()) return Set.of();
        var forgotten = new HashSet<>(here);
        forgotten.removeAll(store.known(here));
        return forgotten;
    }

    private List<Running> runningNow() {
        lock.lock();
        try {
            return List.copyOf(running.values());
        } finally {
            lock.unlock();
        }
    }

    /// Begins the next turn of a session, if none runs there and this gateway can take one more. What is
    /// begun is known here before anybody can take it for abandoned.
    private void begin(SessionId session) {
        lock.lock();
        try {
            if (closed) return;
            if (running.size() >= limits.maxConcurrent()) {
                full = true;
                return;
            }
            Instant now = world.now();
            store.begin(session, new Lease(gateway, now.plus(TurnWriter.LASTS)), now)
                    .ifPresent(this::start);
        } finally {
            lock.unlock();
        }
    }

    private void start(Turn turn) {
        var state = new RunningTurn(turn.startedAt().orElseGet(world::now));
        Thread thread = Thread.ofVirtual().name("turn-" + turn.id()).unstarted(() -> run(turn, state));
        running.put(turn.id(), new Running(turn, state, thread));
        thread.start();
    }

    private void run(Turn turn, RunningTurn state) {
        try {
            var writer = new TurnWriter(store, log, turn, state, gateway, limits.maxTime(), world);
            outcome(turn, state, writer).ifPresent(each -> end(turn, each));
        } catch (GatewayException e) {
            LOG.warn("turn {} cannot go on, and is ended later: {}", turn.id(), e.detail());
        } catch (InterruptedException e) {
            LOG.debug("turn {} was broken off", turn.id());
        } catch (RuntimeException e) {
            LOG.error("turn {} failed, and is ended later", turn.id(), e);
        } finally {
            over(turn.id());
        }
        beginNext(turn.session());
    }

    private Optional<TurnLoop.Ended> outcome(Turn turn, RunningTurn state, TurnWriter writer)
            throws InterruptedException {
        try {
            return Optional.of(loop.run(state, writer));
        } catch (Stopped e) {
            if (e.why() == Stop.LOST) LOG.warn("turn {} is another gateway's now, or its session is gone", turn.id());
            return TurnLoop.ended(e.why());
        } catch (GatewayException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("turn {} failed", turn.id(), e);
            return Optional.of(
                    new TurnLoop.Ended(Turn.Reason.ERROR, Optional.of("The gateway has failed at it"), List.of()));
        }
    }

    private void end(Turn turn, TurnLoop.Ended how) {
        Instant now = world.now();
        var end = new Turn.End(now, how.reason(), how.detail());
        Turn latest = store.find(turn.session(), turn.id()).orElse(turn);
        var drafts = new ArrayList<>(how.drafts());
        drafts.add(TurnEvents.ended(turn, end, latest.steps(), latest.usage()));
        if (!store.end(turn.id(), gateway, end, drafts)) return;
        log.changed(turn.session());
        listener.ended(how.reason(), Duration.between(turn.startedAt().orElse(now), now));
    }

    private void over(TurnId id) {
        lock.lock();
        try {
            running.remove(id);
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void beginNext(SessionId session) {
        try {
            begin(session);
            if (takeFull()) store.waiting(limits.maxConcurrent()).forEach(this::begin);
        } catch (GatewayException e) {
            LOG.warn("turns that wait are begun later: {}", e.detail());
        }
    }

    private boolean takeFull() {
        lock.lock();
        try {
            boolean was = full;
            full = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    /// Under the lock, so that none is among them that is being begun here.
    private List<Turn> abandonedNow() {
        lock.lock();
        try {
            return store.abandoned(gateway, Set.copyOf(running.keySet()), world.now());
        } finally {
            lock.unlock();
        }
    }

    private Agent agent(Entered entered) {
        return agents.get(entered.actor().agent().agentId());
    }

    private static Draft neverRan(Turn turn, Instant now) {
        var end = new Turn.End(now, Turn.Reason.CANCELLED, Optional.empty());
        return TurnEvents.ended(turn, end, 0, Usage.NONE);
    }

    private static Conflict hasEnded() {
        return new Conflict("The session has ended; open it again first");
    }
}
