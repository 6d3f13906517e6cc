package hermit.backend.e2b;

import hermit.backend.cloud.CloudProvider;
import hermit.backend.keeper.Scheduler;
import hermit.backend.keeper.TestKeeper;
import hermit.config.CloudSettings;
import hermit.config.Secret;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.E2bConfig;
import hermit.exec.Machine;
import hermit.exec.MachineSpec;
import hermit.fake.Fault;
import hermit.fake.Journal;
import hermit.fake.e2b.E2bFake;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// A fake E2B, and gateways of one instance that use it.
final class TestE2b implements AutoCloseable {
    static final UUID INSTANCE = new UUID(0x1111_7000L, 0x8000_0000_0000_0001L);
    static final UUID AGENT = new UUID(0x2222_7000L, 0x8000_0000_0000_0002L);
    static final E2bTimes SHORT = new E2bTimes(
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            E2bTimes.USUAL.mostRetryAfter(),
            E2bTimes.USUAL.between(),
            E2bTimes.USUAL.ready(),
            Duration.ofSeconds(20),
            E2bTimes.USUAL.grace());

    final E2bFake fake;
    final CloudSettings.E2b settings;

    TestE2b() {
        this(E2bFake.Settings.of("hermit-base:bookworm").withMemory(256L << 20));
    }

    TestE2b(E2bFake.Settings of) {
        fake = E2bFake.start(of);
        settings = settings(Optional.of(E2bFake.Settings.API_KEY), Optional.empty());
    }

    CloudSettings.E2b settings(Optional<String> key, Optional<CloudSettings.E2bVersion> version) {
        return new CloudSettings.E2b(
                key.map(Secret::new),
                Optional.of(fake.address()),
                version,
                Optional.empty(),
                Optional.of(fake.address()));
    }

    CloudProvider provider(CloudSettings.E2b with, Scheduler scheduler, E2bTimes times) {
        return new CloudProvider(
                BackendType.E2B,
                with.apiKey().isPresent(),
                () -> new E2bClient(with, INSTANCE, scheduler, times),
                INSTANCE,
                TestKeeper.PROGRAMS,
                scheduler,
                new Random());
    }

    /// A new row without a machine.
    static MachineSpec row(Map<String, Object> config) {
        return new MachineSpec(UUID.randomUUID(), AGENT, "main", "default", config(config), 0, Optional.empty());
    }

    static E2bConfig config(Map<String, Object> given) {
        return (E2bConfig) BackendConfig.of(BackendType.E2B, new HashMap<>(given), "");
    }

    /// The row as it is stored when its machine is there.
    static MachineSpec after(MachineSpec spec, Machine machine) {
        return new MachineSpec(
                spec.sandboxId(),
                spec.agentUid(),
                spec.agentId(),
                spec.alias(),
                spec.config(),
                machine.generation(),
                Optional.of(machine.externalId()));
    }

    void fault(String operation, int times, Fault.Kind kind) {
        fake.faults().add(new Fault(operation, kind, times));
    }

    void answers(String operation, int times, int status, String body) {
        fault(operation, times, new Fault.Kind.Answer(status, Map.of("Content-Type", "application/json"), body));
    }

    /// What was asked whose path ends so.
    List<Journal.Entry> asked(String method, String end) {
        return fake.journal().entries().stream()
                .filter(entry -> entry.method().equals(method)
                        && entry.path().replaceAll("\\?.*", "").endsWith(end))
                .toList();
    }

    @Override
    public void close() {
        fake.close();
    }
}
