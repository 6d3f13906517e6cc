package hermit.approval.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.APPROVALS;
import static hermit.db.generated.Tables.APPROVAL_RULES;
import static hermit.db.generated.Tables.COUNTERS;
import static hermit.db.generated.Tables.SANDBOXES;
import static hermit.db.generated.Tables.SESSIONS;

import hermit.approval.Approval;
import hermit.approval.Approval.Settlement;
import hermit.approval.Approval.State;
import hermit.approval.ApprovalEvents;
import hermit.approval.ApprovalId;
import hermit.approval.ApprovalRule;
import hermit.approval.ApprovalStore;
import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.db.generated.tables.records.ApprovalsRecord;
import hermit.exec.ExecId;
import hermit.exec.Uuids;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Invalid;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectOnConditionStep;
import org.jooq.impl.DSL;

/// Approvals in the table of that name. Every change begins by taking the counter's row, so that changes
/// come one after the other and their revisions become visible in order. The session's row is taken after it, never
/// before.
public final class SqlApprovalStore implements ApprovalStore {
    private static final String COUNTER = "approvals";
    private static final int SETTLED_AT_ONCE = 100;

    private static final Condition NOT_BEGUN = APPROVALS.STATE.in(DSL.inline("pending"), DSL.inline("approved"));

    /// Why a matter cannot go on; the first that is true counts.
    private static final Field<String> LOST = DSL.when(
                    AGENTS.DELETED_AT.isNotNull(), DSL.inline("the agent has been deleted"))
            .when(SANDBOXES.STATUS.eq(DSL.inline("deleted")), DSL.inline("the sandbox has been deleted"))
            .when(SESSIONS.DELETED_AT.isNotNull(), DSL.inline("the session has been deleted"))
            .when(SESSIONS.ENDED_AT.isNotNull(), DSL.inline("the session has ended"));

    private final Database database;
    private final LogWriter log;

    public SqlApprovalStore(Database database, LogWriter log) {
        this.database = database;
        this.log = log;
    }

    @Override
    public Approval add(Approval approval, Map<String, Object> call) {
        return database.write("store an approval", sql -> {
            ApprovalsRecord row = ApprovalRows.write(approval, call);
            row.setRevision(nextRevision(sql));
            sql.insertInto(APPROVALS).set(row).execute();
            Approval added = fetch(sql, approval.id());
            log.append(sql, added.sessionId(), List.of(ApprovalEvents.required(added)), added.createdAt());
            return added;
        });
    }

    @Override
    public Optional<Approval> find(ApprovalId id) {
        return database.read(
                "find an approval",
                sql -> rows(sql).where(APPROVALS.ID.eq(id.value())).fetchOptional(ApprovalRows::read));
    }

    @Override
    public Page<Approval> list(Optional<Set<UUID>> agents, Optional<State> state, PageRequest page) {
        Condition wanted = DSL.and(
                of(agents),
                state.map(each -> APPROVALS.STATE.eq(each.toString())).orElse(DSL.noCondition()),
                page.after().map(key -> APPROVALS.ID.lt(key(key))).orElse(DSL.noCondition()));
        List<Approval> found = database.read(
                "list approvals",
                sql -> rows(sql)
                        .where(wanted)
                        .orderBy(APPROVALS.ID.desc())
                        .limit(page.limit() + 1)
                        .fetch(ApprovalRows::read));
        return Page.of(found, page.limit(), approval -> approval.id().toString());
    }

    @Override
    public Optional<Approval> approve(
            ApprovalId id, Settlement settlement, ExecId execId, Optional<ApprovalRule> rule) {
        return database.write("approve a call", sql -> {
            var change = settled(State.APPROVED, settlement);
            change.setExecId(execId.value());
            boolean possible = joined(sql, DSL.val(1))
                    .where(APPROVALS.ID.eq(id.value()), LOST.isNull(), APPROVALS.EXPIRES_AT.gt(settlement.at()))
                    .fetchOptional()
                    .isPresent();
            if (!possible) return Optional.empty();
            var approved = changeAndTell(sql, id, State.PENDING, change);
            if (approved.isPresent())
                rule.ifPresent(each -> sql.insertInto(APPROVAL_RULES)
                        .set(ApprovalRows.write(each))
                        .execute());
            return approved;
        });
    }

    @Override
    public Optional<Approval> deny(ApprovalId id, Settlement settlement) {
        return database.write(
                "deny a call", sql -> changeAndTell(sql, id, State.PENDING, over(State.DENIED, settlement)));
    }

    @Override
    public List<Approval> cancel(SessionId session, Settlement settlement) {
        return cancel(session, DSL.noCondition(), settlement);
    }

    @Override
    public List<Approval> cancel(SessionId session, Set<UUID> calls, Settlement settlement) {
        return cancel(session, APPROVALS.CALL_ID.in(calls), settlement);
    }

    @Override
    public Optional<Approval> ofCall(SessionId session, UUID call) {
        return database.read(
                "find an approval",
                sql -> rows(sql)
                        .where(APPROVALS.SESSION_ID.eq(session.value()), APPROVALS.CALL_ID.eq(call))
                        .fetchOptional(ApprovalRows::read));
    }

    private List<Approval> cancel(SessionId session, Condition which, Settlement settlement) {
        var change = over(State.CANCELLED, settlement);
        return database.write("cancel a session's approvals", sql -> {
            var cancelled = new ArrayList<Approval>();
            for (Approval each : sql.fetch(rows(sql)
                            .where(APPROVALS.SESSION_ID.eq(session.value()), NOT_BEGUN, which)
                            .orderBy(APPROVALS.ID))
                    .map(ApprovalRows::read))
                changeAndTell(sql, each.id(), each.state(), change).ifPresent(cancelled::add);
            return cancelled;
        });
    }

    @Override
    public Optional<Approval> cancel(ApprovalId id, Settlement settlement) {
        var change = over(State.CANCELLED, settlement);
        return database.write(
                "cancel an approval",
                sql ->
                        sql
                                .fetch(rows(sql).where(APPROVALS.ID.eq(id.value()), NOT_BEGUN))
                                .map(ApprovalRows::read)
                                .stream()
                                .findFirst()
                                .flatMap(found -> changeAndTell(sql, id, found.state(), change)));
    }

    @Override
    public List<Approval> ofSession(SessionId session, State state) {
        return database.read(
                "list a session's approvals",
                sql -> rows(sql)
                        .where(
                                APPROVALS.SESSION_ID.eq(session.value()),
                                APPROVALS.STATE.eq(DSL.inline(state.toString())))
                        .orderBy(APPROVALS.ID)
                        .fetch(ApprovalRows::read));
    }

    @Override
    public List<Approval> settle(Instant now) {
        if (database.read("look for approvals to settle", sql -> toSettle(sql, now))
                .isEmpty()) return List.of();
        return database.write("settle approvals", sql -> {
            var settled = new ArrayList<Approval>();
            for (var row : toSettle(sql, now)) {
                String lost = row.get(LOST);
                var how = new Settlement(now, Approval.NOBODY, Optional.of(lost == null ? "expired" : lost));
                var change = over(lost == null ? State.EXPIRED : State.CANCELLED, how);
                var state = State.valueOf(row.get(APPROVALS.STATE).toUpperCase(Locale.ROOT));
                changeAndTell(sql, new ApprovalId(row.get(APPROVALS.ID)), state, change)
                        .ifPresent(settled::add);
            }
            return settled;
        });
    }

    @Override
    public Optional<Map<String, Object>> begin(ApprovalId id) {
        return database.write("begin an approved call", sql -> {
            var call = sql.select(APPROVALS.CALL)
                    .from(APPROVALS)
                    .where(APPROVALS.ID.eq(id.value()), APPROVALS.CALL.isNotNull())
                    .fetchOptional(APPROVALS.CALL);
            var change = new ApprovalsRecord();
            change.setState(State.EXECUTING.toString());
            return change(sql, id, State.APPROVED, change).flatMap(_ -> call).map(Jsonb::object);
        });
    }

    @Override
    public Optional<Approval> finish(
            ApprovalId id,
            State state,
            Optional<String> reason,
            Optional<Map<String, Object>> result,
            List<Draft> events,
            Instant now) {
        var change = new ApprovalsRecord();
        change.setState(state.toString());
        change.setFinishedAt(now);
        change.setCall(null);
        reason.ifPresent(change::setReason);
        result.map(Jsonb::withoutNul).ifPresent(change::setResult);
        return database.write("finish an approved call", sql -> {
            var finished = change(sql, id, State.EXECUTING, change);
            finished.ifPresent(approval -> log.append(sql, approval.sessionId(), events, now));
            return finished;
        });
    }

    @Override
    public List<Approval> ofGateway(UUID gateway, State state) {
        return database.read(
                "list approvals",
                sql -> rows(sql)
                        .where(APPROVALS.GATEWAY.eq(gateway), APPROVALS.STATE.eq(DSL.inline(state.toString())))
                        .orderBy(APPROVALS.ID)
                        .fetch(ApprovalRows::read));
    }

    @Override
    public long revision() {
        return database.read(
                "look for changes",
                sql -> sql.selectFrom(COUNTERS)
                        .where(COUNTERS.NAME.eq(COUNTER))
                        .fetchSingle()
                        .getValue());
    }

    @Override
    public List<Approval> changedAfter(long revision, Optional<Set<UUID>> agents, int limit) {
        return database.read(
                "list changed approvals",
                sql -> rows(sql)
                        .where(APPROVALS.REVISION.gt(revision), of(agents))
                        .orderBy(APPROVALS.REVISION)
                        .limit(limit)
                        .fetch(ApprovalRows::read));
    }

    private static List<? extends Record> toSettle(DSLContext sql, Instant now) {
        return joined(sql, APPROVALS.ID, APPROVALS.STATE, LOST)
                .where(NOT_BEGUN, APPROVALS.EXPIRES_AT.le(now).or(LOST.isNotNull()))
                .orderBy(APPROVALS.EXPIRES_AT)
                .limit(SETTLED_AT_ONCE)
                .fetch();
    }

    private static SelectOnConditionStep<Record> joined(DSLContext sql, Field<?>... fields) {
        return sql.select(fields)
                .from(APPROVALS)
                .join(AGENTS)
                .on(AGENTS.UID.eq(APPROVALS.AGENT_UID))
                .join(SANDBOXES)
                .on(SANDBOXES.ID.eq(APPROVALS.SANDBOX_ID))
                .join(SESSIONS)
                .on(SESSIONS.ID.eq(APPROVALS.SESSION_ID));
    }

    /// Changes it, and says so.
    private Optional<Approval> changeAndTell(DSLContext sql, ApprovalId id, State from, ApprovalsRecord change) {
        var settled = change(sql, id, from, change);
        settled.ifPresent(approval -> log.append(
                sql,
                approval.sessionId(),
                List.of(ApprovalEvents.decided(approval)),
                approval.settlement().orElseThrow().at()));
        return settled;
    }

    private static Optional<Approval> change(DSLContext sql, ApprovalId id, State from, ApprovalsRecord change) {
        change.setRevision(nextRevision(sql));
        int changed = sql.update(APPROVALS)
                .set(change)
                .where(APPROVALS.ID.eq(id.value()), APPROVALS.STATE.eq(from.toString()))
                .execute();
        return changed == 1 ? Optional.of(fetch(sql, id)) : Optional.empty();
    }

    private static ApprovalsRecord settled(State state, Settlement settlement) {
        var change = new ApprovalsRecord();
        change.setState(state.toString());
        change.setDecidedAt(settlement.at());
        change.setDecidedBy(settlement.by());
        settlement.reason().ifPresent(change::setReason);
        return change;
    }

    /// Nothing will be carried out: what that would have needed is forgotten.
    private static ApprovalsRecord over(State state, Settlement settlement) {
        var change = settled(state, settlement);
        change.setCall(null);
        change.setFinishedAt(settlement.at());
        return change;
    }

    private static long nextRevision(DSLContext sql) {
        return sql.update(COUNTERS)
                .set(COUNTERS.VALUE, COUNTERS.VALUE.plus(1))
                .where(COUNTERS.NAME.eq(COUNTER))
                .returning(COUNTERS.VALUE)
                .fetchSingle()
                .getValue();
    }

    private static Approval fetch(DSLContext sql, ApprovalId id) {
        return rows(sql).where(APPROVALS.ID.eq(id.value())).fetchSingle(ApprovalRows::read);
    }

    private static SelectOnConditionStep<Record> rows(DSLContext sql) {
        return sql.select(APPROVALS.fields())
                .select(AGENTS.ID)
                .from(APPROVALS)
                .join(AGENTS)
                .on(AGENTS.UID.eq(APPROVALS.AGENT_UID));
    }

    private static Condition of(Optional<Set<UUID>> agents) {
        return agents.map(APPROVALS.AGENT_UID::in).orElse(DSL.noCondition());
    }

    private static UUID key(String key) {
        return Uuids.parse(key).orElseThrow(() -> new Invalid("cursor", "does not belong to this list"));
    }
}
