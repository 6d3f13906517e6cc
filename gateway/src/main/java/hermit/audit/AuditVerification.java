package hermit.audit;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// What recomputing the chains has found.
public record AuditVerification(List<Chain> chains) {
    public AuditVerification {
        chains = List.copyOf(chains);
    }

    /// - `records`: how many were looked at.
    /// - `firstBroken`: the first record, by its number, that is missing or is not what was written.
    public record Chain(UUID gateway, long records, Optional<Long> firstBroken) {}

    public boolean isIntact() {
        return chains.stream().allMatch(each -> each.firstBroken.isEmpty());
    }

    static AuditVerification of(AuditStore store) {
        var chains = new ArrayList<Chain>();
        for (AuditChain chain : store.chains()) chains.add(check(store, chain));
        return new AuditVerification(chains);
    }

    private static Chain check(AuditStore store, AuditChain chain) {
        long records = 0;
        long number = chain.prunedNumber();
        String sha256 = chain.prunedSha256();
        Iterator<AuditRecord> all = new ChainReader(store, chain).records().iterator();
        while (all.hasNext()) {
            AuditRecord next = all.next();
            records++;
            if (next.number() != number + 1 || !next.previousSha256().equals(sha256) || !next.isSound())
                return prunedMeanwhile(store, chain)
                        .map(now -> check(store, now))
                        .orElse(new Chain(chain.gateway(), records, Optional.of(number + 1)));
            number = next.number();
            sha256 = next.sha256();
        }
        boolean whole = number == chain.lastNumber() && sha256.equals(chain.lastSha256());
        if (whole) return new Chain(chain.gateway(), records, Optional.empty());
        long looked = records;
        long missing = Math.min(number + 1, chain.lastNumber());
        return prunedMeanwhile(store, chain)
                .map(now -> check(store, now))
                .orElse(new Chain(chain.gateway(), looked, Optional.of(missing)));
    }

    /// The chain as it is now, if its beginning has been pruned while it was read.
    private static Optional<AuditChain> prunedMeanwhile(AuditStore store, AuditChain read) {
        return store.chains().stream()
                .filter(now -> now.gateway().equals(read.gateway()) && now.prunedNumber() > read.prunedNumber())
                .findFirst();
    }
}
