package hermit.backend.e2b;

import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Marks;
import hermit.backend.e2b.ControlPlane.Unanswered;
import hermit.backend.keeper.Scheduler;
import hermit.exec.E2bConfig;
import hermit.exec.LiveState.State;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.ProviderError;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Makes one sandbox. The provider knows no key against making it twice: what a lost answer may have made is looked
/// for by its marks instead.
final class Creation {
    /// The list may lag behind a creation.
    private static final List<Duration> LOOKS =
            List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(6));

    private final ControlPlane api;
    private final E2bClient client;
    private final E2bTimes times;
    private final Scheduler scheduler;
    private final boolean v1;

    Creation(ControlPlane api, E2bClient client, E2bTimes times, Scheduler scheduler, boolean v1) {
        this.api = api;
        this.client = client;
        this.times = times;
        this.scheduler = scheduler;
        this.v1 = v1;
    }

    CloudMachine create(E2bConfig config, Marks marks, Progress progress) throws InterruptedException {
        var made = request(config, marks, progress);
        try {
            if (config.secure() && !made.access().containsKey(SandboxJson.TOKEN))
                throw new ProviderError("E2B made sandbox %s open to anyone who knows its id".formatted(made.id()));
            client.awaitReady(made);
            return made;
        } catch (InterruptedException e) {
            abandon(made, e);
            throw e;
        } catch (RuntimeException e) {
            abandon(made, e);
            throw e;
        }
    }

    private CloudMachine request(E2bConfig config, Marks marks, Progress progress) throws InterruptedException {
        String what = "make a sandbox of template " + config.template();
        GatewayException failure;
        try {
            var answer = api.post(what, (v1 ? "" : "/v2") + "/sandboxes", body(config, marks), times.slow(), progress);
            if (answer.isSuccess())
                return SandboxJson.running(answer.json(), marks.toMap(), Optional.of(scheduler.instant()))
                        .orElseThrow(() -> E2bClient.nonsense(what));
            failure = api.failure(what, answer);
            // Behind these, what was asked for may be going on all the same.
            if (answer.status() != 502 && answer.status() != 504) throw failure;
        } catch (Unanswered e) {
            failure = e.unavailable();
        }
        var made = made(marks);
        if (made.isEmpty()) throw failure;
        return made.get();
    }

    private Optional<CloudMachine> made(Marks marks) throws InterruptedException {
        for (var pause : LOOKS) {
            if (pause.isPositive()) scheduler.pause(pause);
            for (var each : client.list(Optional.of(marks.sandbox()))) {
                if (!each.marks().entrySet().containsAll(marks.toMap().entrySet())) continue;
                // The list has no tokens.
                var found = client.find(each.id()).filter(machine -> machine.state() == State.RUNNING);
                if (found.isPresent()) return found;
            }
        }
        return Optional.empty();
    }

    private Map<String, Object> body(E2bConfig config, Marks marks) {
        var metadata = new HashMap<>(config.metadata());
        metadata.putAll(marks.toMap());
        var body = new LinkedHashMap<String, Object>();
        body.put("templateID", config.template());
        body.put("timeout", E2bClient.seconds(config));
        body.put("autoPause", true);
        body.put("metadata", metadata);
        if (!config.env().isEmpty()) body.put("envVars", config.env());
        config.allowInternetAccess().ifPresent(allowed -> body.put("allow_internet_access", allowed));
        if (v1) body.put("secure", config.secure());
        return body;
    }

    /// Removes what was made. A failure of that is told with the reason, not in place of it.
    private void abandon(CloudMachine made, Exception why) {
        boolean interrupted = why instanceof InterruptedException || Thread.interrupted();
        try {
            client.destroy(made.id());
        } catch (GatewayException e) {
            why.addSuppressed(e);
        } catch (InterruptedException e) {
            why.addSuppressed(e);
            interrupted = true;
        }
        if (interrupted && !(why instanceof InterruptedException))
            Thread.currentThread().interrupt();
    }
}
