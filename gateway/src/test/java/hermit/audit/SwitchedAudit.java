package hermit.audit;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.BackendUnavailable;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// An audit in a store that can be made to refuse what models call.
public final class SwitchedAudit implements AuditStore {
    public volatile boolean refusesTurns;

    private final AuditStore store;

    public SwitchedAudit(AuditStore store) {
        this.store = store;
    }

    @Override
    public AuditRecord append(UUID gateway, AuditEntry entry) {
        if (refusesTurns && "turn".equals(entry.details().get("transport")))
            throw new BackendUnavailable("the audit is full on purpose");
        return store.append(gateway, entry);
    }

    @Override
    public boolean isKey(String text) {
        return store.isKey(text);
    }

    @Override
    public Page<AuditRecord> list(AuditFilter filter, PageRequest page) {
        return store.list(filter, page);
    }

    @Override
    public List<AuditChain> chains() {
        return store.chains();
    }

    @Override
    public List<AuditRecord> after(UUID gateway, long number, int limit) {
        return store.after(gateway, number, limit);
    }

    @Override
    public int prune(Instant before, int most) {
        return store.prune(before, most);
    }
}
