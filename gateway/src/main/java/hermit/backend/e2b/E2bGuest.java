package hermit.backend.e2b;

import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Guest;
import hermit.backend.keeper.Bridge;
import hermit.exec.LiveState.State;
import hermit.exec.MachineGone;
import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The way into one sandbox through its daemon, as root.
final class E2bGuest implements Guest {
    private static final Lodging LODGING = new Lodging("/opt/hermit", "/opt/hermit", "/run/hermit/keeper.sock", false);
    private static final int MOST_OUTPUT = 64 << 10;

    private final Daemon daemon;
    private final String id;
    private final Finder finder;
    private final E2bTimes times;

    /// Asks the control plane.
    @FunctionalInterface
    interface Finder {
        Optional<CloudMachine> find(String id) throws InterruptedException;
    }

    E2bGuest(Daemon daemon, String id, Finder finder, E2bTimes times) {
        this.daemon = daemon;
        this.id = id;
        this.finder = finder;
        this.times = times;
    }

    @Override
    public Lodging lodging() {
        return LODGING;
    }

    @Override
    public void upload(String path, byte[] content) throws IOException, MachineGone, InterruptedException {
        try {
            daemon.upload(path, content);
        } catch (Daemon.Refusal e) {
            throw told(e);
        }
    }

    @Override
    public Ran run(List<String> argv, Duration limit) throws IOException, MachineGone, InterruptedException {
        ProcessEvents events;
        try {
            events = daemon.start(argv, false, Optional.of(limit));
        } catch (Daemon.Refusal e) {
            throw told(e);
        }
        try (events) {
            // The daemon ends the program itself at its limit; this is for one that says nothing any more.
            return Bounded.read(
                    limit.plus(times.grace()),
                    "the sandbox's daemon tells no end of the program",
                    events::close,
                    () -> collect(events));
        }
    }

    @Override
    public Bridge open(List<String> argv) throws IOException, MachineGone, InterruptedException {
        try {
            return new ProcessBridge(daemon, daemon.start(argv, true, Optional.empty()));
        } catch (Daemon.Refusal e) {
            throw told(e);
        }
    }

    private static Ran collect(ProcessEvents events) throws IOException {
        var output = new ByteArrayOutputStream();
        while (true) {
            switch (events.next()) {
                case ProcessEvents.Output piece ->
                    output.write(piece.bytes(), 0, Math.min(piece.bytes().length, MOST_OUTPUT - output.size()));
                case ProcessEvents.End(var code) -> {
                    return new Ran(code, output.toString(StandardCharsets.UTF_8));
                }
            }
        }
    }

    /// 502 comes from the edge, and says that the sandbox does not run or that its daemon is not up: the control plane
    /// knows which.
    private IOException told(Daemon.Refusal refusal) throws MachineGone, InterruptedException {
        String message = "reach sandbox %s: %s".formatted(id, refusal.getMessage());
        switch (refusal.status()) {
            case 401, 403 -> throw new ProviderError(message, refusal);
            case 404, 409, 502 -> {
                if (finder.find(id)
                        .filter(machine -> machine.state() == State.RUNNING)
                        .isEmpty()) throw new MachineGone("sandbox %s does not run at E2B".formatted(id), refusal);
            }
            default -> {}
        }
        return new IOException(message, refusal);
    }
}
