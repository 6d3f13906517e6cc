package hermit.backend.daytona;

import hermit.backend.cloud.CloudProvider;
import hermit.backend.keeper.SystemScheduler;
import hermit.backend.keeper.TestKeeper;
import hermit.config.CloudSettings;
import hermit.config.Secret;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.DaytonaConfig;
import hermit.exec.Machine;
import hermit.exec.MachineSpec;
import hermit.exec.Uuids;
import hermit.fake.daytona.FakeDaytona;
import hermit.fake.daytona.Settings;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// A fake Daytona, and what a gateway has of it.
final class DaytonaFixture implements AutoCloseable {
    static final String IMAGE = "hermit-base:bookworm";
    static final RandomGenerator RANDOM = new SecureRandom();

    final FakeDaytona fake;
    final SystemScheduler scheduler = new SystemScheduler(InstantSource.system());
    final UUID instance = Uuids.random(RANDOM);

    DaytonaFixture(Settings settings) {
        fake = FakeDaytona.start(settings);
    }

    static DaytonaFixture start() {
        return new DaytonaFixture(Settings.of(IMAGE));
    }

    CloudSettings.Daytona settings() {
        return new CloudSettings.Daytona(
                Optional.of(new Secret(Settings.API_KEY)), Optional.of(fake.address()), Optional.of("eu"));
    }

    DaytonaClient client() {
        return new DaytonaClient(settings(), instance, scheduler, RANDOM);
    }

    CloudProvider provider() {
        return new CloudProvider(
                BackendType.DAYTONA, true, this::client, instance, TestKeeper.PROGRAMS, scheduler, RANDOM);
    }

    static DaytonaConfig config(Map<String, Object> given) {
        return (DaytonaConfig) BackendConfig.of(BackendType.DAYTONA, given, "config");
    }

    static MachineSpec spec(DaytonaConfig config) {
        return new MachineSpec(
                Uuids.random(RANDOM), Uuids.random(RANDOM), "main", "default", config, 0, Optional.empty());
    }

    /// As the row is once that machine has been stored.
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

    @Override
    public void close() {
        scheduler.close();
        fake.close();
    }
}
