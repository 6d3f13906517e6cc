package hermit.backend.docker;

import hermit.problem.GatewayException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// Removes what this gateway made and nobody owns any more: containers without a live row, helpers that a dying
/// gateway left, workspaces of agents that are gone. And keepers of other versions, which gateways share, where no
/// container uses them. Whatever else belongs to another gateway is never looked at.
final class Sweep {
    private final Docker docker;
    private final InstantSource clock;
    private final Orphans<String> containers;
    private final Orphans<UUID> workspaces;
    private final Orphans<String> keepers;

    Sweep(Docker docker, InstantSource clock) {
        this.docker = docker;
        this.clock = clock;
        this.containers = new Orphans<>(docker.settings().orphanGrace());
        this.workspaces = new Orphans<>(docker.settings().orphanGrace());
        this.keepers = new Orphans<>(docker.settings().orphanGrace());
    }

    /// One that cannot be removed does not keep the others; its failure is thrown at the end.
    void run(Set<UUID> liveSandboxes, Set<UUID> liveAgents) throws InterruptedException {
        var failures = new ArrayList<GatewayException>();
        sweepContainers(liveSandboxes, failures);
        sweepWorkspaces(liveAgents, failures);
        sweepKeepers(failures);
        if (failures.isEmpty()) return;
        var first = failures.removeFirst();
        failures.forEach(first::addSuppressed);
        throw first;
    }

    private void sweepContainers(Set<UUID> live, List<GatewayException> failures) throws InterruptedException {
        var instance = Map.of(Labels.INSTANCE, docker.settings().instanceId().toString());
        var ownerless = new HashMap<String, FoundContainer>();
        for (var each : docker.containers().labelled(instance))
            if (Labels.sandbox(each.labels()).filter(live::contains).isEmpty()) ownerless.put(each.id(), each);
        var due = containers.seen(ownerless.keySet(), clock.instant());
        for (var each : ownerless.values()) {
            if (!due.contains(each.id())) continue;
            try {
                docker.containers().stop(each.id(), each.name());
                docker.containers().remove(each.id(), each.name());
            } catch (GatewayException e) {
                failures.add(e);
            }
        }
    }

    private void sweepWorkspaces(Set<UUID> live, List<GatewayException> failures) throws InterruptedException {
        var ownerless = new HashSet<>(docker.workspaces().agents());
        ownerless.removeAll(live);
        for (UUID agent : workspaces.seen(ownerless, clock.instant())) {
            try {
                docker.workspaces().remove(agent);
            } catch (GatewayException e) {
                failures.add(e);
            }
        }
    }

    private void sweepKeepers(List<GatewayException> failures) throws InterruptedException {
        for (String each : keepers.seen(docker.oldKeepers().there(), clock.instant())) {
            try {
                docker.oldKeepers().remove(each);
            } catch (GatewayException e) {
                failures.add(e);
            }
        }
    }
}
