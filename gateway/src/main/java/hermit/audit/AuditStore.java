package hermit.audit;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// How the audit is kept. Each call is one transaction.
public interface AuditStore {
    /// Whether a text can be a key of [#list].
    boolean isKey(String text);

    /// Adds the next link to a gateway's chain. Of several at once, each gets a number of its own.
    AuditRecord append(UUID gateway, AuditEntry entry);

    /// Newest first.
    Page<AuditRecord> list(AuditFilter filter, PageRequest page);

    /// All chains, in order of gateway.
    List<AuditChain> chains();

    /// A gateway's records in order, from the one after this number on.
    List<AuditRecord> after(UUID gateway, long number, int limit);

    /// Removes up to `most` records that are older than `before` from the beginning of each chain, and
    /// remembers where it goes on. How many were removed.
    int prune(Instant before, int most);
}
