package hermit.backend.daytona;

import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.util.Optional;

/// Brings a sandbox from whatever state it is in to the one that is wanted: looks, asks for the change that
/// is legal from there, and looks again. So an answer that was lost, or a change that somebody else made,
/// does no harm.
final class Lifecycle {
    /// How many requests, or looks, may fail in a row with what may be better in a moment.
    private static final int TRIES = 5;

    private final Api api;
    private final Sandboxes sandboxes;

    Lifecycle(Api api, Sandboxes sandboxes) {
        this.api = api;
        this.sandboxes = sandboxes;
    }

    /// What to do next about a sandbox that was just looked at.
    private sealed interface Step {
        /// It is as wanted, or never will be.
        record Done(Optional<Sandbox> outcome) implements Step {}

        record Wait() implements Step {}

        /// `what`: in one word, for messages.
        record Ask(String what, Request request) implements Step {}
    }

    @FunctionalInterface
    private interface Request {
        Answer send() throws IOException, InterruptedException;
    }

    @FunctionalInterface
    private interface Decision {
        Step about(Sandbox sandbox);
    }

    /// Waits for one that is being made. Shows it as it ended: running, failed, or not there any more.
    Optional<Sandbox> awaitMade(String id, Progress progress) throws InterruptedException {
        return run("make sandbox " + id, id, progress, sandbox -> {
            var state = sandbox.state();
            if (state == SandboxState.STARTED || state.isFailure()) return new Step.Done(Optional.of(sandbox));
            if (state.isGone()) return new Step.Done(Optional.empty());
            // Whoever stopped it, it is wanted.
            return state.canStart() ? new Step.Ask("start", () -> sandboxes.start(id)) : new Step.Wait();
        });
    }

    /// Makes it run. Empty if it is gone or broken for good.
    Optional<Sandbox> start(String id, Progress progress) throws InterruptedException {
        var recovered = new boolean[1];
        return run("start sandbox " + id, id, progress, sandbox -> {
            var state = sandbox.state();
            if (state == SandboxState.STARTED) return new Step.Done(Optional.of(sandbox));
            if (state == SandboxState.ERROR && sandbox.recoverable() && !recovered[0]) {
                return new Step.Ask("recover", () -> {
                    recovered[0] = true;
                    return sandboxes.recover(id);
                });
            }
            if (state.isGone() || state.isFailure()) return new Step.Done(Optional.empty());
            return state.canStart() ? new Step.Ask("start", () -> sandboxes.start(id)) : new Step.Wait();
        });
    }

    /// Makes it stop, if it runs or is about to.
    void stop(String id) throws InterruptedException {
        run("stop sandbox " + id, id, Progress.NONE, sandbox -> switch (sandbox.state()) {
            case STARTED -> new Step.Ask("stop", () -> sandboxes.stop(id));
            case STOPPED, PAUSED, ARCHIVED, ARCHIVING, ERROR, BUILD_FAILED, DESTROYING, DESTROYED ->
                new Step.Done(Optional.of(sandbox));
            default -> new Step.Wait();
        });
    }

    /// Removes it. Returns when it is gone.
    void delete(String id) throws InterruptedException {
        run("delete sandbox " + id, id, Progress.NONE, sandbox -> switch (sandbox.state()) {
            case DESTROYED -> new Step.Done(Optional.empty());
            case DESTROYING -> new Step.Wait();
            default -> new Step.Ask("delete", () -> sandboxes.delete(id));
        });
    }

    private Optional<Sandbox> run(String doing, String id, Progress progress, Decision decision)
            throws InterruptedException {
        var patience = new Patience(api.scheduler());
        String last = "";
        int failures = 0;
        while (true) {
            Optional<GatewayException> failure = Optional.empty();
            try {
                var found = sandboxes.findWithToolbox(id);
                if (found.isEmpty()) return Optional.empty();
                var sandbox = found.get();
                patience.seen(sandbox.state());
                if (!sandbox.word().equals(last)) progress.report("the sandbox is " + sandbox.detail());
                last = sandbox.word();
                switch (decision.about(sandbox)) {
                    case Step.Done(var outcome) -> {
                        return outcome;
                    }
                    case Step.Wait() -> {}
                    case Step.Ask(var what, var request) -> failure = ask("%s sandbox %s".formatted(what, id), request);
                }
            } catch (IOException e) {
                failure = Optional.of(api.unreachable(doing, e));
            } catch (BackendUnavailable e) {
                failure = Optional.of(e);
            }
            failures = failure.isPresent() ? failures + 1 : 0;
            if (failures >= TRIES) throw failure.orElseThrow();
            if (patience.isOver())
                throw failure.orElse(new BackendUnavailable("%s: Daytona says that it is %s, and nothing comes of it"
                        .formatted(doing, Api.line(last, 40))));
            patience.pause();
        }
    }

    /// What went wrong with the request, if it may be better in a moment: the next look decides. A change
    /// that is under way is no failure. Throws what will not be better.
    private Optional<GatewayException> ask(String doing, Request request) throws IOException, InterruptedException {
        var answer = request.send();
        if (answer.isGood() || answer.status() == 409) return Optional.empty();
        var failure = api.refused(doing, answer);
        if (answer.status() == 401 || answer.status() == 403) throw failure;
        return Optional.of(failure);
    }
}
