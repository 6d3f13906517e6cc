package hermit.backend.e2b;

import hermit.backend.cloud.CloudClient;
import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Guest;
import hermit.backend.cloud.Marks;
import hermit.backend.e2b.Calls.Answer;
import hermit.backend.e2b.ControlPlane.Unanswered;
import hermit.backend.keeper.Scheduler;
import hermit.config.CloudSettings;
import hermit.config.CloudSettings.E2bVersion;
import hermit.exec.BackendConfig;
import hermit.exec.E2bConfig;
import hermit.exec.LiveState.State;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.ProviderError;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/// Sandboxes at E2B. They pause at their time limit and are never killed by it.
public final class E2bClient implements CloudClient {
    /// A page has 100.
    private static final int MOST_PAGES = 100;
    /// Answers to a resume that were seen to be another a moment later: a change in progress, or a node that has not
    /// let go yet.
    private static final Set<Integer> PASSING = Set.of(404, 409, 500, 502, 503, 504);

    private final CloudSettings.E2b settings;
    private final UUID instance;
    private final E2bTimes times;
    private final Scheduler scheduler;
    private final Calls calls;
    private final ControlPlane api;
    private final boolean v1;

    public E2bClient(CloudSettings.E2b settings, UUID instance, Scheduler scheduler) {
        this(settings, instance, scheduler, E2bTimes.USUAL);
    }

    E2bClient(CloudSettings.E2b settings, UUID instance, Scheduler scheduler, E2bTimes times) {
        this.settings = settings;
        this.instance = instance;
        this.times = times;
        this.scheduler = scheduler;
        this.calls = new Calls();
        this.api = new ControlPlane(calls, settings, times, scheduler);
        this.v1 = settings.apiVersion().equals(Optional.of(E2bVersion.V1));
    }

    @Override
    public Optional<CloudMachine> find(String machineId) throws InterruptedException {
        if (!SandboxJson.isId(machineId)) return Optional.empty();
        String what = "look for sandbox " + machineId;
        var answer = api.get(what, "/sandboxes/" + machineId);
        return switch (answer.status()) {
            case 200 -> Optional.of(SandboxJson.described(answer.json()).orElseThrow(() -> nonsense(what)));
            case 404 -> Optional.empty();
            default -> throw api.failure(what, answer);
        };
    }

    @Override
    public List<CloudMachine> list(Optional<UUID> sandbox) throws InterruptedException {
        var marks = new TreeMap<>(Map.of(Marks.INSTANCE, instance.toString()));
        sandbox.ifPresent(id -> marks.put(Marks.SANDBOX, id.toString()));
        var machines = new ArrayList<CloudMachine>();
        String path = "/v2/sandboxes?limit=100&metadata=" + encoded(filter(marks));
        Optional<String> next = Optional.empty();
        for (int page = 0; page < MOST_PAGES; page++) {
            String token = next.map(text -> "&nextToken=" + encoded(text)).orElse("");
            var answer = api.get("list sandboxes", path + token);
            if (!answer.isSuccess()) throw api.failure("list sandboxes", answer);
            for (var each : answer.json())
                SandboxJson.described(each)
                        .filter(machine -> machine.marks().entrySet().containsAll(marks.entrySet()))
                        .ifPresent(machines::add);
            next = answer.header("X-Next-Token").filter(text -> !text.isEmpty());
            if (next.isEmpty()) return machines;
        }
        throw new ProviderError("list sandboxes: E2B's list has no end");
    }

    @Override
    public CloudMachine create(MachineSpec spec, Marks marks, Progress progress) throws InterruptedException {
        return new Creation(api, this, times, scheduler, v1).create(config(spec.config()), marks, progress);
    }

    @Override
    public Optional<CloudMachine> resume(CloudMachine machine, BackendConfig config, Progress progress)
            throws InterruptedException {
        // What the provider itself calls broken it does not mend, and it goes on to cost.
        if (machine.state() == State.ERROR) return Optional.empty();
        String what = "resume sandbox " + machine.id();
        for (int i = 0; ; i++) {
            var answer = connect(what, machine.id(), config(config), progress);
            if (answer.isSuccess()) return Optional.of(resumed(what, machine, answer));
            // Not there, it says; but what was there a moment ago may only be on its way.
            if (answer.status() == 404 && find(machine.id()).isEmpty()) return Optional.empty();
            if (!PASSING.contains(answer.status()) || i == times.between().size()) throw api.failure(what, answer);
            progress.report("E2B cannot resume the sandbox yet (%s); trying again".formatted(answer.message()));
            scheduler.pause(times.between().get(i));
        }
    }

    @Override
    public void pause(String machineId) throws InterruptedException {
        String what = "pause sandbox " + machineId;
        for (int i = 0; ; i++) {
            GatewayException failure;
            try {
                var answer = api.post(what, path(machineId) + "/pause", Map.of(), times.slow(), Progress.NONE);
                if (answer.isSuccess() || answer.status() == 404) return;
                failure = api.failure(what, answer);
                if (answer.status() != 409) throw failure;
            } catch (Unanswered e) {
                failure = e.unavailable();
                if (e.late()) i = times.between().size(); // the time is spent
            }
            // Paused already, in the middle of a change, or the answer was lost: its state says.
            if (find(machineId)
                    .filter(each -> each.state() == State.RUNNING || each.state() == State.STARTING)
                    .isEmpty()) return;
            if (i >= times.between().size()) throw failure;
            scheduler.pause(times.between().get(i));
        }
    }

    @Override
    public void destroy(String machineId) throws InterruptedException {
        String what = "destroy sandbox " + machineId;
        if (!SandboxJson.isId(machineId)) return;
        var answer = api.delete(what, "/sandboxes/" + machineId);
        if (!answer.isSuccess() && answer.status() != 404) throw api.failure(what, answer);
    }

    /// A sandbox that is paused or gone has no end to be put off: whoever uses it finds out.
    @Override
    public void prolong(String machineId, BackendConfig config) throws InterruptedException {
        String what = "prolong sandbox " + machineId;
        try {
            var answer = api.post(
                    what,
                    path(machineId) + "/timeout",
                    Map.of("timeout", seconds(config(config))),
                    times.quick(),
                    Progress.NONE);
            if (!answer.isSuccess() && answer.status() != 404 && answer.status() != 409)
                throw api.failure(what, answer);
        } catch (Unanswered e) {
            throw e.unavailable();
        }
    }

    @Override
    public Duration prolongEvery(BackendConfig config) {
        var third = config(config).sandboxTimeout().dividedBy(3);
        var usual = CloudClient.super.prolongEvery(config);
        return third.compareTo(usual) < 0 ? third : usual;
    }

    @Override
    public Guest guest(CloudMachine machine, BackendConfig config) {
        return new E2bGuest(daemon(machine), machine.id(), this::find, times);
    }

    @Override
    public void check() throws InterruptedException {
        var answer = api.get("ask E2B", "/v2/sandboxes?limit=1");
        if (!answer.isSuccess()) throw api.failure("ask E2B", answer);
    }

    @Override
    public void close() {
        calls.close();
    }

    /// Waits until the daemon of a sandbox that runs can be reached.
    void awaitReady(CloudMachine machine) throws InterruptedException {
        var daemon = daemon(machine);
        long end = scheduler.nanos() + times.ready().toNanos();
        for (var pause = Duration.ofMillis(100); ; pause = pause.multipliedBy(2)) {
            if (daemon.isUp()) return;
            if (scheduler.nanos() + pause.toNanos() - end > 0)
                throw new BackendUnavailable("sandbox %s runs at E2B, but does not answer".formatted(machine.id()));
            scheduler.pause(pause);
        }
    }

    /// In whole seconds, rounded up.
    static long seconds(E2bConfig config) {
        return config.sandboxTimeout().plusMillis(999).toSeconds();
    }

    static ProviderError nonsense(String what) {
        return new ProviderError("%s: E2B's answer describes no sandbox".formatted(what));
    }

    private Answer connect(String what, String id, E2bConfig config, Progress progress) throws InterruptedException {
        try {
            return api.post(
                    what,
                    (v1 ? "" : "/v2") + path(id) + "/connect",
                    Map.of("timeout", seconds(config)), // without it the limit would be the provider's default
                    times.slow(),
                    progress);
        } catch (Unanswered e) {
            throw e.unavailable();
        }
    }

    private CloudMachine resumed(String what, CloudMachine machine, Answer answer) throws InterruptedException {
        var resumed = SandboxJson.running(answer.json(), machine.marks(), machine.createdAt())
                .orElseThrow(() -> nonsense(what));
        awaitReady(resumed);
        return resumed;
    }

    private Daemon daemon(CloudMachine machine) {
        return new Daemon(calls, DaemonAddress.of(settings, machine), times);
    }

    private static String path(String id) {
        if (!SandboxJson.isId(id)) throw new ProviderError("'%s' is no sandbox of E2B".formatted(id));
        return "/sandboxes/" + id;
    }

    /// Keys and values are encoded by themselves twice: once as such, once as a form.
    private static String filter(Map<String, String> metadata) {
        var pairs = new ArrayList<String>();
        metadata.forEach((key, value) -> pairs.add(encoded(encoded(key)) + "=" + encoded(encoded(value))));
        return String.join("&", pairs);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static E2bConfig config(BackendConfig config) {
        return (E2bConfig) config;
    }
}
