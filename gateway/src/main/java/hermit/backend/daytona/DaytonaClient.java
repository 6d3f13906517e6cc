package hermit.backend.daytona;

import hermit.backend.cloud.CloudClient;
import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Guest;
import hermit.backend.cloud.Marks;
import hermit.backend.keeper.Scheduler;
import hermit.config.CloudSettings;
import hermit.exec.BackendConfig;
import hermit.exec.DaytonaConfig;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.ProviderError;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// Daytona's API, as far as sandboxes are concerned. Its sandboxes are stopped rather than paused: files
/// stay, processes do not.
public final class DaytonaClient implements CloudClient {
    /// Started is said a little before the daemon can be reached.
    private static final int KNOCKS = 20;

    private static final Duration BETWEEN_KNOCKS = Duration.ofMillis(500);
    /// The provider takes note of one in 5 s, and acts within 20 s.
    private static final Duration SHORTEST_PROLONGING = Duration.ofSeconds(15);

    private static final Duration LONGEST_PROLONGING = Duration.ofMinutes(1);

    private final Api api;
    private final Sandboxes sandboxes;
    private final Lifecycle lifecycle;
    private final Creation creation;
    private final UUID instance;
    private final RandomGenerator random;

    /// Asks nobody. Without a key every call says so.
    public DaytonaClient(CloudSettings.Daytona settings, UUID instance, Scheduler scheduler, RandomGenerator random) {
        this.api = new Api(settings, scheduler);
        this.sandboxes = new Sandboxes(api);
        this.lifecycle = new Lifecycle(api, sandboxes);
        this.creation = new Creation(api, sandboxes, lifecycle, settings.target());
        this.instance = instance;
        this.random = random;
    }

    @Override
    public Optional<CloudMachine> find(String machineId) throws InterruptedException {
        try {
            return sandboxes
                    .findWithToolbox(machineId)
                    .filter(sandbox -> !sandbox.state().isGone())
                    .map(Sandbox::toMachine);
        } catch (IOException e) {
            throw api.unreachable("look at sandbox " + machineId, e);
        }
    }

    @Override
    public List<CloudMachine> list(Optional<UUID> sandbox) throws InterruptedException {
        Map<String, String> labels = new HashMap<>(Map.of(Marks.INSTANCE, instance.toString()));
        sandbox.ifPresent(id -> labels.put(Marks.SANDBOX, id.toString()));
        try {
            return sandboxes.list(labels).stream()
                    .filter(each -> !each.state().isGone())
                    .map(Sandbox::toMachine)
                    .toList();
        } catch (IOException e) {
            throw api.unreachable("list the sandboxes at Daytona", e);
        }
    }

    @Override
    public CloudMachine create(MachineSpec spec, Marks marks, Progress progress) throws InterruptedException {
        var made = creation.create(spec, marks, config(spec.config()), progress);
        try {
            return reachable(made).toMachine();
        } catch (GatewayException e) {
            throw creation.undone(made.id(), e);
        }
    }

    @Override
    public Optional<CloudMachine> resume(CloudMachine machine, BackendConfig config, Progress progress)
            throws InterruptedException {
        var started = lifecycle.start(machine.id(), progress);
        if (started.isEmpty()) return Optional.empty();
        keepInterval(started.get(), config(config));
        return Optional.of(reachable(started.get()).toMachine());
    }

    @Override
    public void pause(String machineId) throws InterruptedException {
        lifecycle.stop(machineId);
    }

    @Override
    public void destroy(String machineId) throws InterruptedException {
        lifecycle.delete(machineId);
    }

    @Override
    public void prolong(String machineId, BackendConfig config) throws InterruptedException {
        if (config(config).autoStopIntervalMinutes() == 0) return; // it is never stopped
        String doing = "keep sandbox %s from being stopped".formatted(machineId);
        try {
            var answer = sandboxes.touch(machineId);
            // Gone in the meantime: there is nothing to keep, and the next request will find out.
            if (!answer.isGood() && answer.status() != 404) throw api.refused(doing, answer);
        } catch (IOException e) {
            throw api.unreachable(doing, e);
        }
    }

    /// Three times within the interval, so that one that is lost does no harm.
    @Override
    public Duration prolongEvery(BackendConfig config) {
        int minutes = config(config).autoStopIntervalMinutes();
        var third = Duration.ofMinutes(minutes).dividedBy(3);
        if (minutes == 0 || third.compareTo(LONGEST_PROLONGING) > 0) return LONGEST_PROLONGING;
        return third.compareTo(SHORTEST_PROLONGING) < 0 ? SHORTEST_PROLONGING : third;
    }

    @Override
    public Guest guest(CloudMachine machine, BackendConfig config) {
        return new DaytonaGuest(api, sandboxes, machine, config(config), random);
    }

    @Override
    public void check() throws InterruptedException {
        try {
            sandboxes.check();
        } catch (IOException e) {
            throw api.unreachable("ask Daytona", e);
        }
    }

    @Override
    public void close() {
        api.close();
    }

    /// The config may have changed since the sandbox was made.
    private void keepInterval(Sandbox sandbox, DaytonaConfig config) throws InterruptedException {
        int wanted = config.autoStopIntervalMinutes();
        if (sandbox.autoStop().isEmpty() || sandbox.autoStop().getAsInt() == wanted) return;
        String doing = "set after which time sandbox %s is stopped".formatted(sandbox.id());
        try {
            var answer = sandboxes.stopAfter(sandbox.id(), wanted);
            if (!answer.isGood()) throw api.refused(doing, answer);
        } catch (IOException e) {
            throw api.unreachable(doing, e);
        }
    }

    private Sandbox reachable(Sandbox sandbox) throws InterruptedException {
        String doing = "reach sandbox " + sandbox.id();
        var address =
                sandbox.toolbox().orElseThrow(() -> new ProviderError(doing + ": Daytona does not say where it is"));
        var door = api.toolbox(address, sandbox.id(), "/work-dir");
        String last = "";
        for (int i = 0; i < KNOCKS; i++) {
            if (i > 0) api.scheduler().pause(BETWEEN_KNOCKS);
            try {
                var answer = api.get(door);
                if (answer.isGood()) return sandbox;
                last = "%d: %s".formatted(answer.status(), answer.message());
            } catch (IOException e) {
                last = String.valueOf(e.getMessage());
            }
        }
        throw new BackendUnavailable(
                "%s: it runs, but its daemon does not answer (%s)".formatted(doing, Api.line(last, 200)));
    }

    private static DaytonaConfig config(BackendConfig config) {
        if (config instanceof DaytonaConfig ours) return ours;
        throw new IllegalArgumentException("not a sandbox of Daytona: " + config.type());
    }
}
