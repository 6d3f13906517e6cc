package hermit.audit.sql;

import static hermit.db.generated.Tables.AUDIT;
import static hermit.db.generated.Tables.AUDIT_CHAINS;

import hermit.audit.AuditChain;
import hermit.audit.AuditEntry;
import hermit.audit.AuditFilter;
import hermit.audit.AuditRecord;
import hermit.audit.AuditStore;
import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.db.Repeated;
import hermit.db.RowLock;
import hermit.db.generated.tables.records.AuditChainsRecord;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Insert;
import org.jooq.ResultQuery;
import org.jooq.Update;
import org.jooq.impl.DSL;

/// The audit in the tables `audit` and `audit_chains`. Whoever adds to a chain or prunes it holds the chain's row.
public final class SqlAuditStore implements AuditStore {
    private static final Repeated<ResultQuery<AuditChainsRecord>> CHAIN = new Repeated<>((sql, value) -> RowLock.on(
            sql, sql.selectFrom(AUDIT_CHAINS).where(AUDIT_CHAINS.GATEWAY.eq(value.of(AUDIT_CHAINS.GATEWAY)))));
    private static final Repeated<Insert<hermit.db.generated.tables.records.AuditRecord>> INSERT =
            new Repeated<>((sql, value) -> sql.insertInto(AUDIT)
                    .set(value.ofEach(
                            AUDIT.GATEWAY,
                            AUDIT.NUMBER,
                            AUDIT.AT,
                            AUDIT.WHO,
                            AUDIT.ADDRESS,
                            AUDIT.ACTION,
                            AUDIT.AGENT_UID,
                            AUDIT.TARGET,
                            AUDIT.RESULT,
                            AUDIT.REQUEST_ID,
                            AUDIT.DETAILS,
                            AUDIT.PREVIOUS_SHA256,
                            AUDIT.SHA256)));
    private static final Repeated<Update<AuditChainsRecord>> GROW =
            new Repeated<>((sql, value) -> sql.update(AUDIT_CHAINS)
                    .set(value.ofEach(AUDIT_CHAINS.LAST_NUMBER, AUDIT_CHAINS.LAST_SHA256))
                    .where(AUDIT_CHAINS.GATEWAY.eq(value.of(AUDIT_CHAINS.GATEWAY))));

    private final Database database;

    public SqlAuditStore(Database database) {
        this.database = database;
    }

    @Override
    public boolean isKey(String text) {
        return AuditKey.parse(text).isPresent();
    }

    @Override
    public AuditRecord append(UUID gateway, AuditEntry entry) {
        return database.write("add to the audit", sql -> {
            AuditChainsRecord chain = held(sql, gateway).orElseGet(() -> begun(sql, gateway));
            var record = AuditRecord.after(chain.getLastNumber(), chain.getLastSha256(), gateway, entry);
            insert(sql, record);
            GROW.on(sql, record.number(), record.sha256(), gateway).execute();
            return record;
        });
    }

    @Override
    public Page<AuditRecord> list(AuditFilter filter, PageRequest page) {
        Condition before = page.after()
                .flatMap(AuditKey::parse)
                .map(key ->
                        DSL.row(AUDIT.AT, AUDIT.NUMBER, AUDIT.GATEWAY).lessThan(key.at(), key.number(), key.gateway()))
                .orElse(DSL.noCondition());
        var found = database.read(
                "read the audit",
                sql -> sql.selectFrom(AUDIT)
                        .where(wanted(filter), before)
                        .orderBy(AUDIT.AT.desc(), AUDIT.NUMBER.desc(), AUDIT.GATEWAY.desc())
                        .limit(page.limit() + 1)
                        .fetch(SqlAuditStore::record));
        return Page.of(found, page.limit(), record -> AuditKey.of(record).toString());
    }

    @Override
    public List<AuditChain> chains() {
        return database.read(
                "read the audit's chains",
                sql -> sql.selectFrom(AUDIT_CHAINS)
                        .orderBy(AUDIT_CHAINS.GATEWAY)
                        .fetch(row -> new AuditChain(
                                row.getGateway(),
                                row.getPrunedNumber(),
                                row.getPrunedSha256(),
                                row.getLastNumber(),
                                row.getLastSha256())));
    }

    @Override
    public List<AuditRecord> after(UUID gateway, long number, int limit) {
        return database.read(
                "read the audit",
                sql -> sql.selectFrom(AUDIT)
                        .where(AUDIT.GATEWAY.eq(gateway), AUDIT.NUMBER.gt(number))
                        .orderBy(AUDIT.NUMBER)
                        .limit(limit)
                        .fetch(SqlAuditStore::record));
    }

    @Override
    public int prune(Instant before, int most) {
        int pruned = 0;
        for (AuditChain chain : chains())
            pruned += database.write("prune the audit", sql -> prune(sql, chain.gateway(), before, most));
        return pruned;
    }

    /// Only from the beginning, and only as far as all is old: what is left is one chain still.
    private static int prune(DSLContext sql, UUID gateway, Instant before, int most) {
        Optional<AuditChainsRecord> held = held(sql, gateway);
        if (held.isEmpty()) return 0;
        AuditChainsRecord chain = held.get();
        List<AuditRecord> oldest = sql
                .selectFrom(AUDIT)
                .where(AUDIT.GATEWAY.eq(gateway), AUDIT.NUMBER.gt(chain.getPrunedNumber()))
                .orderBy(AUDIT.NUMBER)
                .limit(most)
                .fetch(SqlAuditStore::record)
                .stream()
                .takeWhile(each -> each.entry().at().isBefore(before))
                .toList();
        if (oldest.isEmpty()) return 0;
        AuditRecord last = oldest.getLast();
        sql.deleteFrom(AUDIT)
                .where(AUDIT.GATEWAY.eq(gateway), AUDIT.NUMBER.le(last.number()))
                .execute();
        sql.update(AUDIT_CHAINS)
                .set(AUDIT_CHAINS.PRUNED_NUMBER, last.number())
                .set(AUDIT_CHAINS.PRUNED_SHA256, last.sha256())
                .where(AUDIT_CHAINS.GATEWAY.eq(gateway))
                .execute();
        return oldest.size();
    }

    private static Optional<AuditChainsRecord> held(DSLContext sql, UUID gateway) {
        return CHAIN.on(sql, gateway).fetchOptional();
    }

    /// Of several that begin it at once, one does; the others go on with what it has begun.
    private static AuditChainsRecord begun(DSLContext sql, UUID gateway) {
        sql.insertInto(AUDIT_CHAINS)
                .set(AUDIT_CHAINS.GATEWAY, gateway)
                .set(AUDIT_CHAINS.PRUNED_NUMBER, 0L)
                .set(AUDIT_CHAINS.PRUNED_SHA256, AuditRecord.NOTHING_BEFORE)
                .set(AUDIT_CHAINS.LAST_NUMBER, 0L)
                .set(AUDIT_CHAINS.LAST_SHA256, AuditRecord.NOTHING_BEFORE)
                .onConflictDoNothing()
                .execute();
        return held(sql, gateway).orElseThrow(() -> new IllegalStateException("the audit's chain is gone"));
    }

    private static void insert(DSLContext sql, AuditRecord record) {
        AuditEntry entry = record.entry();
        INSERT.on(
                        sql,
                        record.gateway(),
                        record.number(),
                        entry.at(),
                        entry.who(),
                        entry.address(),
                        entry.action(),
                        entry.agentUid().orElse(null),
                        entry.target(),
                        entry.result(),
                        entry.requestId(),
                        Jsonb.of(entry.details()),
                        record.previousSha256(),
                        record.sha256())
                .execute();
    }

    private static Condition wanted(AuditFilter filter) {
        return DSL.and(
                filter.agentUid().map(AUDIT.AGENT_UID::eq).orElse(DSL.noCondition()),
                filter.who().map(AUDIT.WHO::eq).orElse(DSL.noCondition()),
                filter.action()
                        .map(action -> AUDIT.ACTION.eq(action).or(AUDIT.ACTION.startsWith(action + ".")))
                        .orElse(DSL.noCondition()),
                filter.since().map(AUDIT.AT::ge).orElse(DSL.noCondition()),
                filter.until().map(AUDIT.AT::lt).orElse(DSL.noCondition()));
    }

    private static AuditRecord record(hermit.db.generated.tables.records.AuditRecord row) {
        Map<String, String> details = new LinkedHashMap<>();
        Jsonb.object(row.getDetails()).forEach((name, value) -> details.put(name, String.valueOf(value)));
        var entry = new AuditEntry(
                row.getAt(),
                row.getWho(),
                row.getAddress(),
                row.getAction(),
                Optional.ofNullable(row.getAgentUid()),
                row.getTarget(),
                row.getResult(),
                row.getRequestId(),
                details);
        return new AuditRecord(row.getGateway(), row.getNumber(), entry, row.getPreviousSha256(), row.getSha256());
    }
}
