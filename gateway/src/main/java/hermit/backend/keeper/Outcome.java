package hermit.backend.keeper;

import hermit.exec.Exit;
import hermit.exec.MachineGone;
import hermit.problem.GatewayException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// What those learn who wait for a command: first whether it runs, then how it ended. The first word counts.
final class Outcome {
    private final CompletableFuture<Optional<Refusal>> started = new CompletableFuture<>();
    private final CompletableFuture<Exit.End> ended = new CompletableFuture<>();

    /// Waits until it is known whether the command runs: empty if it does or did, else why it was not started or found.
    Optional<Refusal> awaitStart() throws InterruptedException, MachineGone {
        try {
            return started.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MachineGone gone) throw new MachineGone(messageOf(gone), gone);
            if (e.getCause() instanceof GatewayException problem) throw problem;
            throw new IllegalStateException(messageOf(e.getCause()), e);
        }
    }

    /// [IllegalStateException] if the command is not followed to its end.
    Exit.End awaitEnd() throws InterruptedException {
        try {
            return ended.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(messageOf(e.getCause()), e);
        }
    }

    boolean isEnded() {
        return ended.isDone();
    }

    /// It runs, or did.
    void started() {
        started.complete(Optional.empty());
    }

    void ended(Exit.End end) {
        started();
        ended.complete(end);
    }

    void refused(Refusal refusal) {
        started.complete(Optional.of(refusal));
        ended.completeExceptionally(new IllegalStateException("the command does not run: " + refusal));
    }

    void failed(Exception why) {
        started.completeExceptionally(why);
        ended.completeExceptionally(why);
    }

    private static String messageOf(@Nullable Throwable e) {
        return e == null ? "" : String.valueOf(e.getMessage());
    }
}
