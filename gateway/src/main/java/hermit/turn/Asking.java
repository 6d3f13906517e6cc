package hermit.turn;

import hermit.session.Redaction;
import hermit.turn.RunningTurn.Job;
import hermit.turn.RunningTurn.Stop;
import hermit.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Asks a model until it has answered: what passes is tried again, a few times and with growing pauses. The
/// text goes to the session's log as it comes.
public final class Asking {
    static final int ATTEMPTS = 5;
    /// Nothing has come for so long, not even a sign of life. A server that loads a model first may take long; a
    /// connection that is dead is so for ever.
    static final Duration SILENCE = Duration.ofMinutes(5);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /// A provider that asks for more patience is not worth waiting for.
    private static final Duration LONGEST_WISH = Duration.ofMinutes(2);

    private final Redaction redaction;
    private final World world;

    public Asking(Redaction redaction, World world) {
        this.redaction = redaction;
        this.world = world;
    }

    /// The answer to one step. If it is stopped, what has come so far is said to be all.
    Answer ask(Model model, Prompt prompt, int step, RunningTurn running, TurnWriter writer)
            throws ModelFailure, Stopped {
        for (int attempt = 1; ; attempt++) {
            try {
                Answer answer = attempt(model, prompt, step, attempt, running, writer);
                return new Answer(redaction.text(answer.text()), answer.calls(), answer.usage(), answer.cut());
            } catch (ModelFailure e) {
                if (!e.isPassing() || attempt == ATTEMPTS) throw e;
                Duration pause = pause(e, attempt);
                writer.say(TurnEvents.retry(writer.turn().id(), step, attempt + 1, pause, redaction.text(e.detail())));
                pause(pause, running, writer);
            }
        }
    }

    private Answer attempt(Model model, Prompt prompt, int step, int attempt, RunningTurn running, TurnWriter writer)
            throws ModelFailure, Stopped {
        var flow = new TextFlow(redaction, world.now());
        var turn = writer.turn().id();
        var job = running.start(
                "model-" + turn,
                () -> model.answer(prompt, new Model.Listener() {
                    @Override
                    public void said(String text) {
                        flow.add(text);
                        running.wake();
                    }

                    @Override
                    public void heard() {
                        flow.heard(world.now());
                    }
                }));
        boolean silent = false;
        while (true) {
            long seen = running.changes();
            boolean over = job.isOver();
            String piece = flow.take(world.now(), over);
            if (!piece.isEmpty()) say(job, writer, step, attempt, piece);
            if (over) break;
            look(job, writer);
            silent |= world.now().isAfter(flow.lastHeard().plus(SILENCE));
            if (silent || running.stopped().isPresent()) job.interrupt();
            running.await(seen);
        }
        Optional<Stop> stop = running.stopped();
        if (stop.isPresent() && job.result().isEmpty()) throw stopped(stop.get(), flow.taken(), step, writer);
        if (job.result().isPresent()) return job.result().get();
        if (silent) throw ModelFailure.passing("The model has been silent for too long", Optional.empty());
        if (job.failure().orElse(null) instanceof ModelFailure failure) throw failure;
        throw new IllegalStateException("asking the model failed", job.failure().orElse(null));
    }

    /// What a person has seen of an answer is kept, whatever becomes of it.
    private static Stopped stopped(Stop why, String text, int step, TurnWriter writer) throws Stopped {
        if (!text.isEmpty() && why != Stop.LOST)
            writer.step(
                    new Step(step, text, List.of(), List.of()),
                    Usage.NONE,
                    List.of(TurnEvents.said(writer.turn().id(), step, text, true)));
        return new Stopped(why);
    }

    private static void say(Job<?> job, TurnWriter writer, int step, int attempt, String piece) throws Stopped {
        try {
            writer.say(TurnEvents.delta(writer.turn().id(), step, attempt, piece));
        } catch (Stopped | RuntimeException e) {
            job.interrupt(); // nobody listens any more
            throw e;
        }
    }

    private static void look(Job<?> job, TurnWriter writer) throws Stopped {
        try {
            writer.look();
        } catch (Stopped | RuntimeException e) {
            job.interrupt();
            throw e;
        }
    }

    private void pause(Duration pause, RunningTurn running, TurnWriter writer) throws Stopped {
        var job = running.start("model-retry-" + writer.turn().id(), () -> {
            world.pause().of(pause);
            return pause;
        });
        while (true) {
            long seen = running.changes();
            if (job.isOver()) break;
            look(job, writer);
            if (running.stopped().isPresent()) job.interrupt();
            running.await(seen);
        }
        Optional<Stop> stop = running.stopped();
        if (stop.isPresent()) throw new Stopped(stop.get());
    }

    /// What the provider wishes, or twice as long as the last time; a little more by chance, so that not
    /// all come back at the same moment.
    private Duration pause(ModelFailure failure, int attempt) throws ModelFailure {
        Optional<Duration> wish = failure.retryAfter();
        if (wish.isPresent()) {
            if (wish.get().compareTo(LONGEST_WISH) > 0)
                throw ModelFailure.lasting("%s; it asks to wait for %d s, which is too long"
                        .formatted(failure.detail(), wish.get().toSeconds()));
            return wish.get();
        }
        Duration doubled = FIRST_PAUSE.multipliedBy(1L << (attempt - 1));
        Duration pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
        return pause.plusMillis(world.random().nextLong(1 + pause.toMillis() / 4));
    }
}
