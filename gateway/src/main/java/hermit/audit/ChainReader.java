package hermit.audit;

import java.util.List;
import java.util.stream.Stream;

/// Reads a chain in pieces, up to where it ended when the reading began.
final class ChainReader {
    static final int PIECE = 500;

    private final AuditStore store;
    private final AuditChain chain;

    ChainReader(AuditStore store, AuditChain chain) {
        this.store = store;
        this.chain = chain;
    }

    Stream<AuditRecord> records() {
        return Stream.iterate(piece(chain.prunedNumber()), piece -> !piece.isEmpty(), this::next)
                .flatMap(List::stream);
    }

    private List<AuditRecord> next(List<AuditRecord> piece) {
        return piece(piece.getLast().number());
    }

    private List<AuditRecord> piece(long after) {
        return store.after(chain.gateway(), after, PIECE).stream()
                .filter(each -> each.number() <= chain.lastNumber())
                .toList();
    }
}
