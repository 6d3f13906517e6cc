package hermit.tool;

import hermit.exec.BackendConfig;
import hermit.exec.Capability;
import hermit.exec.DaytonaConfig;
import hermit.exec.DaytonaConfig.Source;
import hermit.exec.DockerConfig;
import hermit.exec.E2bConfig;
import hermit.exec.TenkiConfig;
import hermit.sandbox.SandboxView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a model is told of a sandbox: enough to choose one, and to know where it is, what it may use up and
/// what it can do.
public final class SandboxText {
    private SandboxText() {}

    /// As in `docker debian:13; user root; home /root; memory 2g; disk 8g; cpus 2; can stdin signals files`.
    public static String of(SandboxView view) {
        BackendConfig config = view.sandbox().config();
        var facts = new ArrayList<String>();
        facts.add(machine(config));
        facts.add("user " + config.user());
        facts.add("home " + config.agentHome());
        limits(config, facts);
        config.timeout()
                .ifPresent(time -> facts.add("%d s for a command that says nothing".formatted(time.toSeconds())));
        facts.add("can "
                + view.capabilities().stream()
                        .sorted()
                        .map(Capability::toString)
                        .collect(Collectors.joining(" ")));
        return String.join("; ", facts);
    }

    private static String machine(BackendConfig config) {
        Optional<String> from = switch (config) {
            case DockerConfig docker -> Optional.of(docker.image());
            case E2bConfig e2b -> Optional.of(e2b.template());
            case DaytonaConfig daytona ->
                switch (daytona.source()) {
                    case Source.ProviderDefault _ -> Optional.empty();
                    case Source.Snapshot(String id) -> Optional.of(id);
                    case Source.Image image -> Optional.of(image.name());
                };
            case TenkiConfig tenki -> tenki.image().or(tenki::snapshotId);
        };
        return from.map(name -> config.type() + " " + name).orElse(config.type().toString());
    }

    private static void limits(BackendConfig config, List<String> facts) {
        switch (config) {
            case DockerConfig docker -> {
                facts.add("memory " + docker.memoryLimit());
                facts.add("disk " + docker.diskLimit());
                docker.cpus().ifPresent(cpus -> facts.add("cpus " + cpus.toPlainString()));
                facts.add("at most %d processes".formatted(docker.pidsLimit()));
                docker.network().ifPresent(network -> facts.add("network " + network));
                if (docker.readOnlyRootfs()) facts.add("read-only outside of home and /tmp");
            }
            case E2bConfig e2b -> {
                facts.add("paused after %d min".formatted(e2b.sandboxTimeout().toMinutes()));
                e2b.allowInternetAccess().ifPresent(may -> facts.add(may ? "internet" : "no internet"));
            }
            case DaytonaConfig daytona -> {
                if (daytona.source() instanceof Source.Image image) {
                    image.memory().ifPresent(memory -> facts.add("memory %dg".formatted(memory)));
                    image.cpu().ifPresent(cpus -> facts.add("cpus " + cpus));
                    image.disk().ifPresent(disk -> facts.add("disk %dg".formatted(disk)));
                }
                if (daytona.autoStopIntervalMinutes() > 0)
                    facts.add("stopped after %d idle min".formatted(daytona.autoStopIntervalMinutes()));
            }
            case TenkiConfig tenki -> {
                tenki.memoryMb().ifPresent(memory -> facts.add("memory %dm".formatted(memory)));
                tenki.cpuCores().ifPresent(cpus -> facts.add("cpus " + cpus));
            }
        }
    }
}
