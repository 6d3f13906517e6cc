package hermit;

import hermit.backend.cloud.CloudClient;
import hermit.backend.cloud.CloudProvider;
import hermit.backend.daytona.DaytonaClient;
import hermit.backend.e2b.E2bClient;
import hermit.backend.keeper.Scheduler;
import hermit.backend.tenki.TenkiClient;
import hermit.config.CloudSettings;
import hermit.config.GatewayConfig;
import hermit.exec.BackendProvider;
import hermit.exec.BackendType;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// The clouds, as part of the composition root. No class of theirs is loaded before the first of their sandboxes is
/// used.
final class CloudBackends {
    private final UUID instance;
    private final Scheduler scheduler;
    private final RandomGenerator random;

    private CloudBackends(UUID instance, Scheduler scheduler, RandomGenerator random) {
        this.instance = instance;
        this.scheduler = scheduler;
        this.random = random;
    }

    static List<BackendProvider> of(GatewayConfig config, Scheduler scheduler, RandomGenerator random) {
        var clouds = new CloudBackends(config.instanceId(), scheduler, random);
        var settings = config.clouds();
        return List.of(
                clouds.provider(
                        BackendType.E2B,
                        settings.e2b().apiKey().isPresent(),
                        () -> new E2bClient(settings.e2b(), config.instanceId(), scheduler)),
                clouds.provider(
                        BackendType.DAYTONA,
                        settings.daytona().apiKey().isPresent(),
                        () -> new DaytonaClient(settings.daytona(), config.instanceId(), scheduler, random)),
                clouds.provider(
                        BackendType.TENKI,
                        settings.tenki().token().isPresent(),
                        () -> new TenkiClient(settings.tenki(), config.instanceId(), scheduler)));
    }

    /// What the operator would have to set, for each cloud that has no credential.
    static Map<String, String> notConfigured(CloudSettings settings) {
        var missing = new TreeMap<String, String>();
        if (settings.e2b().apiKey().isEmpty()) missing.put("e2b", "E2B_API_KEY is not set");
        if (settings.daytona().apiKey().isEmpty()) missing.put("daytona", "DAYTONA_API_KEY is not set");
        if (settings.tenki().token().isEmpty()) missing.put("tenki", "TENKI_API_KEY is not set");
        return missing;
    }

    private BackendProvider provider(BackendType type, boolean configured, Supplier<CloudClient> opener) {
        return new CloudProvider(type, configured, opener, instance, KeeperResources::find, scheduler, random);
    }
}
