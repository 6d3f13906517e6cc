package hermit.backend.tenki;

import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.CloudProvider;
import hermit.backend.cloud.Marks;
import hermit.backend.keeper.SystemScheduler;
import hermit.backend.keeper.TestKeeper;
import hermit.config.Secret;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.ExecBackend;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.fake.Fault;
import hermit.fake.tenki.Happenings;
import hermit.fake.tenki.TenkiFake;
import hermit.fake.tenki.TenkiFakeSettings;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// A fake Tenki, and clients of it.
final class TestTenki implements AutoCloseable {
    static final UUID INSTANCE = new UUID(1, 1);
    static final String TOKEN = "tk_placeholder";
    static final String IMAGE = "hermit-base:bookworm";

    final TenkiFake fake;
    final SystemScheduler scheduler = new SystemScheduler(InstantSource.system());
    private final List<TenkiClient> open = new ArrayList<>();

    TestTenki() throws InterruptedException {
        this(TenkiFakeSettings.of(TOKEN, IMAGE));
    }

    TestTenki(TenkiFakeSettings settings) throws InterruptedException {
        fake = TenkiFake.start(settings);
    }

    TenkiClient client() {
        return client(Optional.of(new Secret(TOKEN)));
    }

    TenkiClient client(Optional<Secret> token) {
        return client(settings(token, fake.address()));
    }

    TenkiClient client(TenkiSettings settings) {
        var client = new TenkiClient(settings, INSTANCE, scheduler);
        open.add(client);
        return client;
    }

    /// As in earnest, but with less patience for what never comes.
    static TenkiSettings settings(Optional<Secret> token, URI endpoint) {
        return new TenkiSettings(
                token,
                endpoint,
                Duration.ofSeconds(20),
                Duration.ofSeconds(20),
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5));
    }

    /// A backend as a gateway that has just started has it.
    ExecBackend backend(MachineSpec spec) {
        var provider = new CloudProvider(
                BackendType.TENKI, true, this::client, INSTANCE, TestKeeper.PROGRAMS, scheduler, new Random());
        return provider.open(spec);
    }

    static MachineSpec row() {
        return row(Map.of());
    }

    static MachineSpec row(Map<String, Object> config) {
        return new MachineSpec(
                UUID.randomUUID(), new UUID(2, 2), "main", "default", config(config), 0, Optional.empty());
    }

    static BackendConfig config(Map<String, Object> config) {
        return BackendConfig.of(BackendType.TENKI, config, "");
    }

    static Marks marks(MachineSpec spec) {
        return Marks.of(INSTANCE, spec, 1);
    }

    CloudMachine create(TenkiClient client, MachineSpec spec) throws InterruptedException {
        return client.create(spec, marks(spec), Progress.NONE);
    }

    void fault(String operation, Fault.Kind kind, int times) {
        fake.faults().add(new Fault(operation, kind, times));
    }

    void special(String operation, String name) {
        fault(operation, new Fault.Kind.Special(name), 1);
    }

    Happenings happenings() {
        return fake.happenings();
    }

    /// Those that have not ended.
    List<Happenings.Seen> alive() {
        return happenings().all().stream()
                .filter(each -> !each.state().startsWith("TERMINAT"))
                .toList();
    }

    String state(String id) {
        return happenings().find(id).map(Happenings.Seen::state).orElse("");
    }

    /// How often a method was called.
    long calls(String method) {
        return fake.journal().entries().stream()
                .filter(each -> each.method().equals("POST") && each.path().endsWith("/" + method))
                .count();
    }

    @Override
    public void close() {
        open.forEach(TenkiClient::close);
        fake.close();
        scheduler.close();
    }
}
