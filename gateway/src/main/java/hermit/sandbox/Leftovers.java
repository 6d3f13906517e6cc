package hermit.sandbox;

import hermit.exec.BackendProvider;
import hermit.exec.BackendType;
import hermit.exec.FoundMachine;
import hermit.exec.LiveState;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.NotFound;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Machines without a live row: those that our own records know, and those that the providers list under this
/// gateway's mark. They are only ever destroyed by somebody's word.
public final class Leftovers {
    private final SandboxStore store;
    private final Backends backends;

    public Leftovers(SandboxStore store, Backends backends) {
        this.store = store;
        this.backends = backends;
    }

    /// - `unreachable`: the providers that could not be asked, and why. What only they know is missing then.
    public record Listing(List<Leftover> items, Map<BackendType, String> unreachable) {
        public Listing {
            items = List.copyOf(items);
            unreachable = Map.copyOf(unreachable);
        }
    }

    public Listing list() throws InterruptedException {
        var unreachable = new EnumMap<BackendType, String>(BackendType.class);
        var items = new ArrayList<Leftover>();
        for (BackendProvider provider : backends.all()) {
            List<Sandbox> recorded = store.leftBehind(provider.type());
            if (!provider.isConfigured()) {
                if (!recorded.isEmpty()) unreachable.put(provider.type(), "no credential is set");
                recorded.forEach(row -> items.add(unasked(row)));
                continue;
            }
            try {
                items.addAll(of(provider, recorded));
            } catch (GatewayException e) {
                unreachable.put(provider.type(), e.detail());
                recorded.forEach(row -> items.add(unasked(row)));
            }
        }
        return new Listing(items, unreachable);
    }

    /// Destroys what is left over of one row. Throws [NotFound] if nothing is; a provider's failure comes as it is, and
    /// the machine stays listed.
    public List<Leftover> reclaim(UUID sandbox) throws InterruptedException {
        var reclaimed = new ArrayList<Leftover>();
        for (BackendProvider provider : backends.all()) {
            List<Sandbox> recorded = store.leftBehind(provider.type()).stream()
                    .filter(row -> row.id().value().equals(sandbox))
                    .toList();
            if (recorded.isEmpty() && !provider.isConfigured()) continue;
            for (Leftover each : of(provider, recorded)) {
                if (!each.sandbox().equals(sandbox)) continue;
                provider.destroy(new FoundMachine(
                        each.externalId(),
                        Optional.of(sandbox),
                        each.state().orElse(LiveState.State.UNKNOWN),
                        each.detail(),
                        each.createdAt()));
                reclaimed.add(each);
            }
            recorded.forEach(row -> store.removed(row.id()));
        }
        if (reclaimed.isEmpty()) throw new NotFound("Nothing is left over of sandbox %s".formatted(sandbox));
        return reclaimed;
    }

    /// The provider's list first; what only our records know follows, as absent: a list may lag, and a machine that is
    /// not there any more costs nothing to name.
    private List<Leftover> of(BackendProvider provider, List<Sandbox> recorded) throws InterruptedException {
        var items = new ArrayList<Leftover>();
        for (FoundMachine machine : provider.machines()) {
            if (machine.sandbox().isEmpty()) continue;
            UUID id = machine.sandbox().get();
            Optional<Sandbox> row = store.find(new SandboxId(id));
            if (row.filter(each -> uses(each, machine)).isPresent()) continue;
            items.add(new Leftover(
                    id,
                    provider.type(),
                    machine.id(),
                    row,
                    Optional.of(machine.state()),
                    machine.detail(),
                    row.flatMap(Leftovers::deletedAt),
                    machine.createdAt()));
        }
        for (Sandbox row : recorded)
            if (items.stream().noneMatch(item -> row.externalId().equals(Optional.of(item.externalId()))))
                items.add(new Leftover(
                        row.id().value(),
                        row.type(),
                        row.externalId().orElseThrow(),
                        Optional.of(row),
                        Optional.of(LiveState.State.ABSENT),
                        "not in the provider's list",
                        deletedAt(row),
                        Optional.empty()));
        return items;
    }

    /// A pending row may be about to learn of its machine.
    private static boolean uses(Sandbox row, FoundMachine machine) {
        if (!row.isLive()) return false;
        return row.externalId().isEmpty() || row.externalId().get().equals(machine.id());
    }

    private static Leftover unasked(Sandbox row) {
        return new Leftover(
                row.id().value(),
                row.type(),
                row.externalId().orElseThrow(),
                Optional.of(row),
                Optional.empty(),
                "",
                deletedAt(row),
                Optional.empty());
    }

    private static Optional<Instant> deletedAt(Sandbox row) {
        return row.status() instanceof SandboxStatus.Deleted deleted ? Optional.of(deleted.at()) : Optional.empty();
    }
}
