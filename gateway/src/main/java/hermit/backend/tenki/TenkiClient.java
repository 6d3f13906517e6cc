package hermit.backend.tenki;

import hermit.backend.cloud.CloudClient;
import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Guest;
import hermit.backend.cloud.Marks;
import hermit.backend.keeper.Scheduler;
import hermit.config.CloudSettings;
import hermit.exec.BackendConfig;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.TerminateSessionRequest;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Tenki's sessions as machines.
public final class TenkiClient implements CloudClient {
    private final TenkiSettings settings;
    private final UUID instance;
    private final Scheduler scheduler;
    private final Channels channels = new Channels();
    private final ControlPlane control;
    private final Sessions sessions;
    private final Creating creating;
    private final Sleep sleep;

    /// `instance`: of this gateway, whose machines alone are listed.
    public TenkiClient(CloudSettings.Tenki settings, UUID instance, Scheduler scheduler) {
        this(TenkiSettings.of(settings), instance, scheduler);
    }

    TenkiClient(TenkiSettings settings, UUID instance, Scheduler scheduler) {
        this.settings = settings;
        this.instance = instance;
        this.scheduler = scheduler;
        this.control = new ControlPlane(settings, channels, scheduler);
        this.sessions = new Sessions(control, scheduler);
        this.creating = new Creating(control, sessions, settings, scheduler);
        this.sleep = new Sleep(control, sessions, settings, scheduler);
    }

    @Override
    public Optional<CloudMachine> find(String machineId) throws InterruptedException {
        return calling("look at sandbox " + machineId, () -> sessions.find(machineId))
                .map(SessionStates::machine);
    }

    @Override
    public List<CloudMachine> list(Optional<UUID> sandbox) throws InterruptedException {
        return calling(
                        "list sandboxes",
                        () -> sessions.list(sandbox.map(Creating::tag).orElse(Creating.TAG)))
                .stream()
                .filter(each -> !SessionStates.isOver(each.getState()))
                .map(SessionStates::machine)
                .filter(each -> instance.toString().equals(each.marks().get(Marks.INSTANCE)))
                .toList();
    }

    @Override
    public CloudMachine create(MachineSpec spec, Marks marks, Progress progress) throws InterruptedException {
        return SessionStates.machine(creating.create(spec, marks, progress));
    }

    @Override
    public Optional<CloudMachine> resume(CloudMachine machine, BackendConfig config, Progress progress)
            throws InterruptedException {
        // A session keeps what it was made with; there is nothing to repeat but how long it may live.
        var resumed = calling("resume sandbox " + machine.id(), () -> {
            var session = sleep.resume(machine.id(), progress);
            if (session.isPresent()) sessions.prolong(machine.id());
            return session;
        });
        return resumed.map(SessionStates::machine);
    }

    @Override
    public void pause(String machineId) throws InterruptedException {
        calling("pause sandbox " + machineId, () -> {
            sleep.pause(machineId);
            return Optional.empty();
        });
    }

    @Override
    public void destroy(String machineId) throws InterruptedException {
        calling("terminate sandbox " + machineId, () -> {
            try {
                control.again(
                        SandboxServiceGrpc.getTerminateSessionMethod(),
                        TerminateSessionRequest.newBuilder()
                                .setSessionId(machineId)
                                .build());
            } catch (CallFailed e) {
                if (!e.isNoSession() && sessions.find(machineId).isPresent()) throw e;
            }
            return Optional.empty();
        });
    }

    @Override
    public void prolong(String machineId, BackendConfig config) throws InterruptedException {
        calling("prolong sandbox " + machineId, () -> {
            sessions.prolong(machineId);
            return Optional.empty();
        });
    }

    @Override
    public Guest guest(CloudMachine machine, BackendConfig config) {
        var doorway = new Doorway(control, sessions, channels, settings, scheduler, machine.id());
        return new TenkiGuest(doorway, settings, scheduler, machine.id());
    }

    @Override
    public void check() throws InterruptedException {
        calling("ask Tenki who we are", sessions::whoAmI);
    }

    @Override
    public void close() {
        channels.close();
    }

    private interface Work<T> {
        T run() throws CallFailed, InterruptedException;
    }

    private static <T> T calling(String tried, Work<T> work) throws InterruptedException {
        try {
            return work.run();
        } catch (CallFailed e) {
            throw e.toGateway(tried);
        }
    }
}
