package hermit.audit;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.world.World;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The gateway's own chain, and what one can read of all.
public final class Audit {
    private static final int PIECE = 500;

    private final AuditStore store;
    private final UUID gateway;
    private final World world;

    public Audit(AuditStore store, UUID gateway, World world) {
        this.store = store;
        this.gateway = gateway;
        this.world = world;
    }

    /// Adds a record of what happens now. Throws [hermit.problem.GatewayException.BackendUnavailable] if it cannot be
    /// kept.
    public void record(
            String who,
            String address,
            String action,
            Optional<UUID> agentUid,
            String target,
            String result,
            String requestId,
            Map<String, String> details) {
        store.append(
                gateway,
                new AuditEntry(world.now(), who, address, action, agentUid, target, result, requestId, details));
    }

    public boolean isKey(String text) {
        return store.isKey(text);
    }

    /// Newest first.
    public Page<AuditRecord> list(AuditFilter filter, PageRequest page) {
        return store.list(filter, page);
    }

    /// All records that are kept, chain by chain, read in pieces while they are asked for.
    public Iterator<AuditRecord> all() {
        return store.chains().stream()
                .flatMap(chain -> new ChainReader(store, chain).records())
                .iterator();
    }

    public AuditVerification verify() {
        return AuditVerification.of(store);
    }

    /// Removes what is older than this, in small pieces so that the database is never held for long.
    public void prune(Duration keep) throws InterruptedException {
        while (store.prune(world.now().minus(keep), PIECE) > 0)
            if (Thread.interrupted()) throw new InterruptedException();
    }
}
