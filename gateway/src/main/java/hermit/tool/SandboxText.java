package hermit.tool;

import hermit.exec.BackendConfig;
import hermit.exec.DaytonaConfig;
import hermit.exec.DockerConfig;
import hermit.exec.E2bConfig;
import hermit.exec.TenkiConfig;
import hermit.sandbox.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a model is told of a sandbox: enough to choose one, and to know where it is and what it may use up.
final class SandboxText {
    private SandboxText() {}

    /// One for each, as in `default (docker ubuntu:24.04; user root; home /root; memory 2g; cpus 2)`.
    static String of(List<Sandbox> sandboxes) {
        return String.join(", ", sandboxes.stream().map(SandboxText::of).toList());
    }

    private static String of(Sandbox sandbox) {
        BackendConfig config = sandbox.config();
        var facts = new ArrayList<String>();
        facts.add(machine(config));
        facts.add("user " + config.user());
        facts.add("home " + config.agentHome());
        limits(config, facts);
        return "%s (%s)".formatted(sandbox.alias(), String.join("; ", facts));
    }

    private static String machine(BackendConfig config) {
        Optional<String> from = switch (config) {
            case DockerConfig docker -> Optional.of(docker.image());
            case E2bConfig e2b -> Optional.of(e2b.template());
            case DaytonaConfig _, TenkiConfig _ -> Optional.empty();
        };
        return from.map(name -> config.type() + " " + name).orElse(config.type().toString());
    }

    private static void limits(BackendConfig config, List<String> facts) {
        if (!(config instanceof DockerConfig docker)) return;
        facts.add("memory " + docker.memoryLimit());
        docker.cpus().ifPresent(cpus -> facts.add("cpus " + cpus.toPlainString()));
        docker.network().ifPresent(network -> facts.add("network " + network));
        if (docker.readOnlyRootfs()) facts.add("read-only outside of home and /tmp");
    }
}
