package hermit.session.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.EXECS;
import static hermit.db.generated.Tables.SESSIONS;
import static hermit.db.generated.Tables.SESSION_EVENTS;
import static hermit.db.generated.Tables.SESSION_EXECS;
import static hermit.db.generated.Tables.TURNS;
import static hermit.db.generated.Tables.TURN_STEPS;

import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.exec.ExecId;
import hermit.exec.Uuids;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.session.Session;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import hermit.session.SessionStore;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// Sessions in the table of that name; their events, in `session_events`, are written by [LogRows].
public final class SqlSessionStore implements SessionStore {
    static final Condition THERE = SESSIONS.DELETED_AT.isNull();
    static final Condition OPEN = SESSIONS.ENDED_AT.isNull().and(THERE);

    private final Database database;
    private final LogRows log;

    public SqlSessionStore(Database database, LogRows log) {
        this.database = database;
        this.log = log;
    }

    @Override
    public void add(Session session) {
        database.write("store a session", sql -> {
            // Takes the agent's row, so that it is not deleted between this look and the insert.
            int agents = sql.update(AGENTS)
                    .set(AGENTS.UID, AGENTS.UID)
                    .where(AGENTS.UID.eq(session.agentUid()), AGENTS.DELETED_AT.isNull())
                    .execute();
            if (agents == 0) throw new NotFound("No such agent");
            return sql.insertInto(SESSIONS).set(SessionRows.write(session)).execute();
        });
    }

    @Override
    public Optional<Session> find(UUID agentUid, SessionId id) {
        return find(of(id).and(SESSIONS.AGENT_UID.eq(agentUid)));
    }

    @Override
    public Optional<Session> find(SessionId id) {
        return find(of(id));
    }

    private Optional<Session> find(Condition which) {
        return database.read(
                "find a session",
                sql -> sql.selectFrom(SESSIONS).where(which, THERE).fetchOptional(SessionRows::read));
    }

    @Override
    public Page<Session> list(UUID agentUid, Scope scope, PageRequest page) {
        Condition wanted = DSL.and(
                SESSIONS.AGENT_UID.eq(agentUid),
                THERE,
                scope.owner().map(SessionRows::ownedBy).orElse(DSL.noCondition()),
                scope.channel().map(SESSIONS.CHANNEL::eq).orElse(DSL.noCondition()),
                page.after().map(key -> SESSIONS.ID.lt(key(key))).orElse(DSL.noCondition()));
        List<Session> found = database.read(
                "list sessions",
                sql -> sql.selectFrom(SESSIONS)
                        .where(wanted)
                        .orderBy(SESSIONS.ID.desc())
                        .limit(page.limit() + 1)
                        .fetch(SessionRows::read));
        return Page.of(found, page.limit(), session -> session.id().toString());
    }

    @Override
    public boolean reopen(SessionId id, Instant now) {
        return database.write(
                        "open a session again",
                        sql -> sql.update(SESSIONS)
                                .setNull(SESSIONS.ENDED_AT)
                                .setNull(SESSIONS.END_REASON)
                                .set(SESSIONS.LAST_ACTIVE_AT, now)
                                .where(of(id), THERE, SESSIONS.ENDED_AT.isNotNull())
                                .execute())
                == 1;
    }

    @Override
    public void describe(SessionId id, Map<String, Object> source, Map<String, Object> metadata) {
        database.write(
                "describe a session",
                sql -> sql.update(SESSIONS)
                        .set(SESSIONS.SOURCE, Jsonb.of(source))
                        .set(SESSIONS.METADATA, Jsonb.of(metadata))
                        .where(of(id), THERE)
                        .execute());
    }

    @Override
    public boolean end(SessionId id, Session.End end, Optional<Instant> silentSince) {
        Condition silent = silentSince.map(SESSIONS.LAST_ACTIVE_AT::le).orElse(DSL.noCondition());
        return database.write(
                        "end a session",
                        sql -> sql.update(SESSIONS)
                                .set(SESSIONS.ENDED_AT, end.at())
                                .set(SESSIONS.END_REASON, end.reason())
                                .where(of(id), OPEN, silent)
                                .execute())
                == 1;
    }

    @Override
    public List<Session> silent(Instant since, int limit) {
        return database.read(
                "look for silent sessions",
                sql -> sql.selectFrom(SESSIONS)
                        .where(OPEN, SESSIONS.LAST_ACTIVE_AT.le(since))
                        .orderBy(SESSIONS.LAST_ACTIVE_AT)
                        .limit(limit)
                        .fetch(SessionRows::read));
    }

    @Override
    public boolean delete(SessionId id, Instant now) {
        return database.write("delete a session", sql -> {
            int deleted = sql.update(SESSIONS)
                    .set(SESSIONS.DELETED_AT, now)
                    .set(SESSIONS.SOURCE, Jsonb.of(Map.of()))
                    .set(SESSIONS.METADATA, Jsonb.of(Map.of()))
                    .where(of(id), THERE)
                    .execute();
            sql.deleteFrom(TURN_STEPS)
                    .where(TURN_STEPS.TURN_ID.in(
                            DSL.select(TURNS.ID).from(TURNS).where(TURNS.SESSION_ID.eq(id.value()))))
                    .execute();
            sql.deleteFrom(TURNS).where(TURNS.SESSION_ID.eq(id.value())).execute();
            sql.deleteFrom(SESSION_EVENTS)
                    .where(SESSION_EVENTS.SESSION_ID.eq(id.value()))
                    .execute();
            return deleted == 1;
        });
    }

    @Override
    public boolean hasOpen(UUID agentUid) {
        return database.read(
                "look for open sessions",
                sql -> sql.fetchExists(SESSIONS, SESSIONS.AGENT_UID.eq(agentUid).and(OPEN)));
    }

    @Override
    public List<SessionEvent> append(SessionId id, List<Draft> drafts, boolean mustBeOpen, Instant now) {
        return database.write(
                "write to a session's log", sql -> log.append(sql, id, mustBeOpen ? OPEN : THERE, drafts, now));
    }

    @Override
    public List<SessionEvent> events(SessionId id, long after, Set<SessionEvent.Type> types, int limit) {
        var words = types.stream().map(SessionEvent.Type::toString).toList();
        Condition wanted =
                types.size() == SessionEvent.Type.values().length ? DSL.noCondition() : SESSION_EVENTS.TYPE.in(words);
        return database.read(
                "read a session's log",
                sql -> sql.selectFrom(SESSION_EVENTS)
                        .where(SESSION_EVENTS.SESSION_ID.eq(id.value()), SESSION_EVENTS.SEQ.gt(after), wanted)
                        .orderBy(SESSION_EVENTS.SEQ)
                        .limit(limit)
                        .fetch(SessionRows::event));
    }

    @Override
    public Map<SessionId, Long> lastSeqs(Set<SessionId> ids) {
        var values = ids.stream().map(SessionId::value).toList();
        return database.read(
                "look for new events",
                sql -> sql.select(SESSIONS.ID, SESSIONS.LAST_SEQ)
                        .from(SESSIONS)
                        .where(SESSIONS.ID.in(values), THERE)
                        .fetchMap(row -> new SessionId(row.get(SESSIONS.ID)), row -> row.get(SESSIONS.LAST_SEQ)));
    }

    @Override
    public void addExec(SessionId id, ExecId exec) {
        database.write(
                "note a session's command",
                sql -> sql.insertInto(SESSION_EXECS)
                        .set(SESSION_EXECS.EXEC_ID, exec.value())
                        .set(SESSION_EXECS.SESSION_ID, id.value())
                        .onConflictDoNothing()
                        .execute());
    }

    @Override
    public boolean hasExec(SessionId id, ExecId exec) {
        return database.read(
                "find a session's command",
                sql -> sql.fetchExists(
                        SESSION_EXECS,
                        SESSION_EXECS.EXEC_ID.eq(exec.value()).and(SESSION_EXECS.SESSION_ID.eq(id.value()))));
    }

    @Override
    public List<ExecId> cancelExecs(SessionId id, Set<ExecId> begun, Instant now) {
        Condition wanted = SESSION_EXECS.SESSION_ID.eq(id.value()).and(SESSION_EXECS.CANCELLED_AT.isNull());
        return database.write("cancel a session's commands", sql -> {
            for (ExecId each : begun)
                sql.insertInto(SESSION_EXECS)
                        .set(SESSION_EXECS.EXEC_ID, each.value())
                        .set(SESSION_EXECS.SESSION_ID, id.value())
                        .onConflictDoNothing()
                        .execute();
            List<ExecId> running = sql.select(EXECS.ID)
                    .from(SESSION_EXECS)
                    .join(EXECS)
                    .on(EXECS.ID.eq(SESSION_EXECS.EXEC_ID))
                    .where(wanted, EXECS.ENDED_AT.isNull())
                    .orderBy(EXECS.ID)
                    .fetch(row -> new ExecId(row.get(EXECS.ID)));
            cancelRunning(sql, running, now);
            // Those without a row have not begun yet, or were never to begin.
            var ended =
                    DSL.selectOne().from(EXECS).where(EXECS.ID.eq(SESSION_EXECS.EXEC_ID), EXECS.ENDED_AT.isNotNull());
            sql.update(SESSION_EXECS)
                    .set(SESSION_EXECS.CANCELLED_AT, now)
                    .where(wanted, DSL.notExists(ended))
                    .execute();
            return running;
        });
    }

    @Override
    public void cancelThese(SessionId id, Set<ExecId> these, Instant now) {
        database.write("cancel commands of a session", sql -> {
            for (ExecId each : these)
                sql.insertInto(SESSION_EXECS)
                        .set(SESSION_EXECS.EXEC_ID, each.value())
                        .set(SESSION_EXECS.SESSION_ID, id.value())
                        .set(SESSION_EXECS.CANCELLED_AT, now)
                        .onConflict(SESSION_EXECS.EXEC_ID)
                        .doUpdate()
                        .set(SESSION_EXECS.CANCELLED_AT, now)
                        .where(SESSION_EXECS.CANCELLED_AT.isNull())
                        .execute();
            cancelRunning(sql, these, now);
            return these.size();
        });
    }

    /// In the rows from which the gateways that watch them learn it.
    private static void cancelRunning(DSLContext sql, Collection<ExecId> these, Instant now) {
        sql.update(EXECS)
                .set(EXECS.CANCELLED_AT, now)
                .where(
                        EXECS.ID.in(these.stream().map(ExecId::value).toList()),
                        EXECS.ENDED_AT.isNull(),
                        EXECS.CANCELLED_AT.isNull())
                .execute();
    }

    @Override
    public boolean isCancelled(ExecId exec) {
        return database.read(
                "look whether a command is cancelled",
                sql -> sql.fetchExists(
                        SESSION_EXECS,
                        SESSION_EXECS.EXEC_ID.eq(exec.value()).and(SESSION_EXECS.CANCELLED_AT.isNotNull())));
    }

    private static Condition of(SessionId id) {
        return SESSIONS.ID.eq(id.value());
    }

    private static UUID key(String key) {
        return Uuids.parse(key).orElseThrow(() -> new Invalid("cursor", "does not belong to this list"));
    }
}
