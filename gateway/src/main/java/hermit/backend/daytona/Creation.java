package hermit.backend.daytona;

import hermit.backend.cloud.Marks;
import hermit.exec.DaytonaConfig;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.ProviderError;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// Makes a sandbox. Only one ever comes of it: whatever the answer says, or if none comes, what counts is
/// what is there afterwards under its name or its marks.
final class Creation {
    /// How often it is looked for after an answer that was lost: the provider may still be at it.
    private static final int LOOKS = 4;

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);

    private final Api api;
    private final Sandboxes sandboxes;
    private final Lifecycle lifecycle;
    private final Optional<String> target;

    Creation(Api api, Sandboxes sandboxes, Lifecycle lifecycle, Optional<String> target) {
        this.api = api;
        this.sandboxes = sandboxes;
        this.lifecycle = lifecycle;
        this.target = target;
    }

    Sandbox create(MachineSpec spec, Marks marks, DaytonaConfig config, Progress progress) throws InterruptedException {
        String name = NewSandbox.name(spec, marks);
        var made = request(name, spec, marks, config, progress);
        Optional<Sandbox> outcome;
        try {
            outcome = lifecycle.awaitMade(made.id(), progress);
        } catch (GatewayException e) {
            throw undone(made.id(), e);
        }
        if (outcome.filter(sandbox -> sandbox.state() == SandboxState.STARTED).isPresent()) return outcome.get();
        throw undone(
                made.id(),
                new ProviderError("make sandbox %s: it ended as %s"
                        .formatted(name, outcome.map(Sandbox::detail).orElse("gone"))));
    }

    private Sandbox request(String name, MachineSpec spec, Marks marks, DaytonaConfig config, Progress progress)
            throws InterruptedException {
        String doing = "make sandbox " + name;
        GatewayException failure;
        int looks = 1;
        try {
            var answer = sandboxes.create(NewSandbox.body(spec, marks, config, target), progress);
            var made = answer.isGood() ? Sandbox.read(answer.json()) : Optional.<Sandbox>empty();
            if (made.isPresent()) return made.get();
            failure = answer.isGood()
                    ? new ProviderError(doing + ": Daytona's answer shows no sandbox")
                    : api.refused(doing, answer);
            // Refused before anything was done.
            if (answer.status() == 401 || answer.status() == 403 || answer.status() == 429) throw failure;
            if (answer.status() >= 500) looks = LOOKS;
        } catch (ConnectException e) {
            throw api.unreachable(doing, e);
        } catch (IOException e) {
            failure = api.unreachable(doing, e);
            looks = LOOKS;
        }
        for (int i = 0; i < looks; i++) {
            if (i > 0) api.scheduler().pause(BETWEEN_LOOKS);
            var there = look(name, marks);
            if (there.isPresent()) return there.get();
        }
        throw failure;
    }

    /// By its name, which is known at once, or else by its marks.
    private Optional<Sandbox> look(String name, Marks marks) throws InterruptedException {
        try {
            var named = sandboxes.find(name).filter(sandbox -> Sandboxes.isOf(sandbox, marks));
            if (named.isPresent()) return named;
            for (Sandbox listed : sandboxes.list(Map.copyOf(marks.toMap()))) {
                var there =
                        sandboxes.find(listed.id()).filter(each -> !each.state().isGone());
                if (there.isPresent()) return there;
            }
            return Optional.empty();
        } catch (IOException e) {
            throw api.unreachable("look for sandbox " + name, e);
        }
    }

    /// Nothing is left behind; if that cannot be done, the failure says what is.
    GatewayException undone(String id, GatewayException failure) throws InterruptedException {
        try {
            lifecycle.delete(id);
        } catch (GatewayException e) {
            failure.addSuppressed(e);
            return new ProviderError(
                    "%s; sandbox %s could not be deleted and is left: %s".formatted(failure.detail(), id, e.detail()),
                    failure);
        }
        return failure;
    }
}
