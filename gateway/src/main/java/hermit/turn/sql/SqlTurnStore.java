package hermit.turn.sql;

import static hermit.db.generated.Tables.SESSIONS;
import static hermit.db.generated.Tables.SESSION_EVENTS;
import static hermit.db.generated.Tables.TURNS;
import static hermit.db.generated.Tables.TURN_STEPS;

import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.db.RowLock;
import hermit.db.generated.tables.records.TurnsRecord;
import hermit.identity.UserId;
import hermit.session.Author;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import hermit.turn.CallResult;
import hermit.turn.Step;
import hermit.turn.Turn;
import hermit.turn.Turn.Reason;
import hermit.turn.Turn.State;
import hermit.turn.TurnId;
import hermit.turn.TurnStore;
import hermit.turn.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/// Turns in the table of that name, their steps in `turn_steps`. Every change takes the session's row
/// first, by writing to its log or by itself, so that changes in a session come one after the other and
/// none waits for one that waits for it.
public final class SqlTurnStore implements TurnStore {
    private static final Condition QUEUED = TURNS.STATE.eq(DSL.inline(State.QUEUED.toString()));
    private static final Condition RUNNING = TURNS.STATE.eq(DSL.inline(State.RUNNING.toString()));
    /// In the words of the index.
    private static final Condition UNDONE =
            TURNS.STATE.in(DSL.inline(State.QUEUED.toString()), DSL.inline(State.RUNNING.toString()));
    private static final Condition SESSION_IS_OVER =
            SESSIONS.ENDED_AT.isNotNull().or(SESSIONS.DELETED_AT.isNotNull());
    private static final int ENDED_AT_ONCE = 100;

    private final Database database;
    private final LogWriter log;

    public SqlTurnStore(Database database, LogWriter log) {
        this.database = database;
        this.log = log;
    }

    @Override
    public Optional<SessionEvent> post(SessionId session, Draft message, TurnId turn, Author author, Instant now) {
        return database.write("store a message", sql -> {
            var written = log.write(sql, session, true, List.of(message), now).stream()
                    .findFirst();
            written.ifPresent(event -> {
                var row = new TurnsRecord();
                row.setId(turn.value());
                row.setSessionId(session.value());
                row.setMessageSeq(event.seq());
                row.setAuthorKind(author.kind());
                author.person().map(UserId::value).ifPresent(row::setUserId);
                row.setState(State.QUEUED.toString());
                row.setCreatedAt(now);
                row.setSteps(0);
                row.setInputTokens(0L);
                row.setOutputTokens(0L);
                sql.insertInto(TURNS).set(row).execute();
            });
            return written;
        });
    }

    @Override
    public Optional<Turn> find(SessionId session, TurnId id) {
        return database.read(
                "find a turn",
                sql -> TurnRows.select(sql)
                        .where(TURNS.ID.eq(id.value()), TURNS.SESSION_ID.eq(session.value()))
                        .fetchOptional(TurnRows::turn));
    }

    @Override
    public int waitingIn(SessionId session) {
        return database.read(
                "count turns that wait",
                sql -> sql.fetchCount(
                        TURNS, TURNS.SESSION_ID.eq(session.value()).and(QUEUED)));
    }

    @Override
    public int undoneOf(Author author) {
        Condition theirs = switch (author) {
            case Author.Admin _ -> DSL.noCondition();
            case Author.Person(UserId id) -> TURNS.USER_ID.eq(id.value());
            case Author.Program(UUID agent) ->
                TURNS.SESSION_ID.in(DSL.select(SESSIONS.ID).from(SESSIONS).where(SESSIONS.AGENT_UID.eq(agent)));
        };
        return database.read(
                "count an author's turns",
                sql -> sql.fetchCount(
                        TURNS, UNDONE.and(TURNS.AUTHOR_KIND.eq(author.kind())).and(theirs)));
    }

    @Override
    public Optional<Turn> begin(SessionId session, Lease lease, Instant now) {
        return database.write("begin a turn", sql -> {
            take(sql, session);
            boolean over =
                    sql.fetchExists(SESSIONS, SESSIONS.ID.eq(session.value()).and(SESSION_IS_OVER));
            boolean busy =
                    sql.fetchExists(TURNS, TURNS.SESSION_ID.eq(session.value()).and(RUNNING));
            if (over || busy) return Optional.empty();
            var next = sql.select(TURNS.ID)
                    .from(TURNS)
                    .where(TURNS.SESSION_ID.eq(session.value()), QUEUED)
                    .orderBy(TURNS.MESSAGE_SEQ)
                    .limit(1)
                    .fetchOptional(TURNS.ID);
            return next.flatMap(id -> {
                sql.update(TURNS)
                        .set(TURNS.STATE, State.RUNNING.toString())
                        .set(TURNS.GATEWAY, lease.gateway())
                        .set(TURNS.LEASE_UNTIL, lease.until())
                        .set(TURNS.STARTED_AT, now)
                        .where(TURNS.ID.eq(id))
                        .execute();
                return TurnRows.select(sql).where(TURNS.ID.eq(id)).fetchOptional(TurnRows::turn);
            });
        });
    }

    @Override
    public List<SessionId> waiting(int limit) {
        var other = TURNS.as("other");
        var runs = DSL.selectOne()
                .from(other)
                .where(other.SESSION_ID.eq(TURNS.SESSION_ID), other.STATE.eq(DSL.inline(State.RUNNING.toString())));
        return database.read(
                "look for turns that wait",
                sql -> sql.select(TURNS.SESSION_ID)
                        .from(TURNS)
                        .where(QUEUED, DSL.notExists(runs))
                        .groupBy(TURNS.SESSION_ID)
                        .orderBy(DSL.min(TURNS.CREATED_AT))
                        .limit(limit)
                        .fetch(row -> new SessionId(row.get(TURNS.SESSION_ID))));
    }

    @Override
    public boolean say(TurnId id, Lease lease, List<Draft> drafts, Instant now) {
        return change("write to a turn", id, lease.gateway(), lease(lease), drafts, now, _ -> {});
    }

    @Override
    public boolean addStep(TurnId id, Lease lease, Step step, Usage usage, List<Draft> drafts, Instant now) {
        var change = lease(lease);
        change.setSteps(step.number());
        return change("store a step of a turn", id, lease.gateway(), change, drafts, now, sql -> {
            sql.update(TURNS)
                    .set(TURNS.INPUT_TOKENS, TURNS.INPUT_TOKENS.plus(usage.input()))
                    .set(TURNS.OUTPUT_TOKENS, TURNS.OUTPUT_TOKENS.plus(usage.output()))
                    .where(TURNS.ID.eq(id.value()))
                    .execute();
            sql.insertInto(TURN_STEPS)
                    .set(TURN_STEPS.TURN_ID, id.value())
                    .set(TURN_STEPS.STEP, step.number())
                    .set(TURN_STEPS.TEXT, step.text().replace('\0', '\ufffd'))
                    .set(TURN_STEPS.CALLS, TurnRows.calls(step.calls()))
                    .set(TURN_STEPS.RESULTS, TurnRows.results(step.results()))
                    .set(TURN_STEPS.CREATED_AT, now)
                    .execute();
        });
    }

    @Override
    public boolean addResults(
            TurnId id, Lease lease, int step, List<CallResult> results, List<Draft> drafts, Instant now) {
        return change(
                "store results of a turn",
                id,
                lease.gateway(),
                lease(lease),
                drafts,
                now,
                sql -> sql.update(TURN_STEPS)
                        .set(TURN_STEPS.RESULTS, TurnRows.results(results))
                        .where(TURN_STEPS.TURN_ID.eq(id.value()), TURN_STEPS.STEP.eq(step))
                        .execute());
    }

    @Override
    public boolean end(TurnId id, UUID gateway, Turn.End end, List<Draft> drafts) {
        return change("end a turn", id, gateway, ended(end), drafts, end.at(), _ -> {});
    }

    @Override
    public List<Turn> cancel(SessionId session, Ending ending, Instant now) {
        return database.write("cancel a session's turns", sql -> {
            take(sql, session);
            var cancelled = new ArrayList<>(TurnRows.select(sql)
                    .where(TURNS.SESSION_ID.eq(session.value()), RUNNING, TURNS.CANCELLED_AT.isNull())
                    .fetch(TurnRows::turn));
            sql.update(TURNS)
                    .set(TURNS.CANCELLED_AT, now)
                    .where(TURNS.SESSION_ID.eq(session.value()), RUNNING, TURNS.CANCELLED_AT.isNull())
                    .execute();
            cancelled.addAll(endWaiting(sql, TURNS.SESSION_ID.eq(session.value()), ending, now));
            return cancelled;
        });
    }

    @Override
    public Set<TurnId> toEnd(UUID gateway) {
        return database
                .read(
                        "look for turns to end",
                        sql -> TurnRows.select(sql)
                                .where(
                                        TURNS.GATEWAY.eq(gateway),
                                        RUNNING,
                                        TURNS.CANCELLED_AT.isNotNull().or(SESSION_IS_OVER))
                                .fetch(row -> new TurnId(row.get(TURNS.ID))))
                .stream()
                .collect(Collectors.toSet());
    }

    @Override
    public Set<TurnId> known(Set<TurnId> ids) {
        var values = ids.stream().map(TurnId::value).toList();
        return database.read(
                "look for turns that are there",
                sql -> sql.select(TURNS.ID)
                        .from(TURNS)
                        .where(TURNS.ID.in(values))
                        .fetchSet(row -> new TurnId(row.get(TURNS.ID))));
    }

    @Override
    public void noteWaiting(Instant now) {
        Condition unnoted = SESSIONS.LAST_ACTIVE_AT
                .le(now.minus(NOTED_EVERY))
                .and(SESSIONS.ID.in(DSL.select(TURNS.SESSION_ID).from(TURNS).where(QUEUED)));
        if (!database.read("look for messages that wait", sql -> sql.fetchExists(SESSIONS, unnoted))) return;
        database.write(
                "note that messages wait",
                sql -> sql.update(SESSIONS)
                        .set(SESSIONS.LAST_ACTIVE_AT, now)
                        .where(unnoted)
                        .execute());
    }

    @Override
    public List<Turn> abandoned(UUID gateway, Set<TurnId> alive, Instant now) {
        var ids = alive.stream().map(TurnId::value).toList();
        var own = TURNS.GATEWAY.eq(gateway).and(TURNS.ID.notIn(ids));
        var others = TURNS.GATEWAY.ne(gateway).and(TURNS.LEASE_UNTIL.le(now));
        return database.read(
                "look for turns that nobody runs",
                sql -> TurnRows.select(sql)
                        .where(RUNNING, own.or(others))
                        .orderBy(TURNS.ID)
                        .limit(ENDED_AT_ONCE)
                        .fetch(TurnRows::turn));
    }

    @Override
    public boolean abandon(TurnId id, UUID gateway, Turn.End end, List<Draft> drafts) {
        var dead = TURNS.GATEWAY.eq(gateway).or(TURNS.LEASE_UNTIL.le(end.at()));
        return change("end a turn that nobody runs", id, dead, ended(end), drafts, end.at(), _ -> {});
    }

    @Override
    public List<Turn> endOrphans(Ending ending, Instant now) {
        var orphans = TURNS.SESSION_ID.in(DSL.select(SESSIONS.ID).from(SESSIONS).where(SESSION_IS_OVER));
        boolean some = database.read("look for turns to end", sql -> sql.fetchExists(TURNS, QUEUED.and(orphans)));
        if (!some) return List.of();
        return database.write("end turns of ended sessions", sql -> endWaiting(sql, orphans, ending, now));
    }

    @Override
    public List<Step> steps(TurnId id) {
        return database.read("read a turn's steps", sql -> steps(sql, id.value()));
    }

    @Override
    public String lastText(TurnId id) {
        return database.read(
                "read what a turn has said",
                sql -> sql.select(TURN_STEPS.TEXT)
                        .from(TURN_STEPS)
                        .where(TURN_STEPS.TURN_ID.eq(id.value()))
                        .orderBy(TURN_STEPS.STEP.desc())
                        .limit(1)
                        .fetchOptional(TURN_STEPS.TEXT)
                        .orElse(""));
    }

    @Override
    public List<Exchange> before(SessionId session, long messageSeq, int limit, long characters) {
        return database.read("read what was said before", sql -> {
            var rows = sql.select(SESSION_EVENTS.SEQ, SESSION_EVENTS.DATA)
                    .select(TURNS.fields())
                    .from(SESSION_EVENTS)
                    .leftJoin(TURNS)
                    .on(TURNS.SESSION_ID.eq(SESSION_EVENTS.SESSION_ID), TURNS.MESSAGE_SEQ.eq(SESSION_EVENTS.SEQ))
                    .where(
                            SESSION_EVENTS.SESSION_ID.eq(session.value()),
                            SESSION_EVENTS.SEQ.lt(messageSeq),
                            SESSION_EVENTS.TYPE.eq(DSL.inline(SessionEvent.Type.USER_MESSAGE.toString())))
                    .orderBy(SESSION_EVENTS.SEQ.desc())
                    .limit(limit)
                    .fetch();
            var exchanges = new ArrayList<Exchange>();
            long left = characters;
            for (var row : rows) {
                String text = String.valueOf(
                        Jsonb.object(row.get(SESSION_EVENTS.DATA)).get("text"));
                Optional<UUID> turn = Optional.ofNullable(row.get(TURNS.ID));
                left -= text.length() + turn.map(id -> weight(sql, id)).orElse(0L);
                if (left < 0 && !exchanges.isEmpty()) break;
                var steps = turn.map(id -> steps(sql, id)).orElse(List.of());
                exchanges.add(new Exchange(row.get(SESSION_EVENTS.SEQ), text, steps, TurnRows.end(row)));
            }
            exchanges.sort(Comparator.comparingLong(Exchange::messageSeq));
            return exchanges;
        });
    }

    /// The characters of a turn's steps, asked for before they are read.
    private static long weight(DSLContext sql, UUID turn) {
        var characters = DSL.length(TURN_STEPS.TEXT)
                .plus(DSL.length(TURN_STEPS.CALLS.cast(SQLDataType.CLOB)))
                .plus(DSL.length(TURN_STEPS.RESULTS.cast(SQLDataType.CLOB)));
        return sql.select(DSL.coalesce(DSL.sum(characters), DSL.inline(BigDecimal.ZERO)))
                .from(TURN_STEPS)
                .where(TURN_STEPS.TURN_ID.eq(turn))
                .fetchSingle()
                .value1()
                .longValue();
    }

    private static List<Step> steps(DSLContext sql, UUID turn) {
        return sql.selectFrom(TURN_STEPS)
                .where(TURN_STEPS.TURN_ID.eq(turn))
                .orderBy(TURN_STEPS.STEP)
                .fetch(TurnRows::step);
    }

    private List<Turn> endWaiting(DSLContext sql, Condition which, Ending ending, Instant now) {
        var ended = new ArrayList<Turn>();
        var waiting = TurnRows.select(sql)
                .where(which, QUEUED)
                .orderBy(TURNS.SESSION_ID, TURNS.ID)
                .limit(ENDED_AT_ONCE)
                .fetch(TurnRows::turn);
        for (Turn each : waiting) {
            take(sql, each.session());
            int changed = sql.update(TURNS)
                    .set(ended(new Turn.End(now, Reason.CANCELLED, Optional.empty())))
                    .where(TURNS.ID.eq(each.id().value()), QUEUED)
                    .execute();
            if (changed == 0) continue; // somebody was quicker
            log.write(sql, each.session(), false, ending.of(each), now);
            ended.add(each);
        }
        return ended;
    }

    private boolean change(
            String attempt,
            TurnId id,
            UUID gateway,
            TurnsRecord change,
            List<Draft> drafts,
            Instant now,
            Consumer<DSLContext> more) {
        return change(attempt, id, TURNS.GATEWAY.eq(gateway), change, drafts, now, more);
    }

    /// Takes the session's row first; whose the turn is, is looked at again behind it.
    private boolean change(
            String attempt,
            TurnId id,
            Condition whose,
            TurnsRecord change,
            List<Draft> drafts,
            Instant now,
            Consumer<DSLContext> more) {
        return database.write(attempt, sql -> {
            var session = sql.select(TURNS.SESSION_ID)
                    .from(TURNS)
                    .where(TURNS.ID.eq(id.value()), RUNNING, whose)
                    .fetchOptional(TURNS.SESSION_ID);
            if (session.isEmpty()) return false;
            var owner = new SessionId(session.get());
            take(sql, owner);
            int changed = sql.update(TURNS)
                    .set(change)
                    .where(TURNS.ID.eq(id.value()), RUNNING, whose)
                    .execute();
            if (changed != 1) return false;
            more.accept(sql);
            if (drafts.isEmpty()) note(sql, owner, now);
            else log.write(sql, owner, false, drafts, now);
            return true;
        });
    }

    /// Something happens in the session, of which its log says nothing.
    private static void note(DSLContext sql, SessionId session, Instant now) {
        sql.update(SESSIONS)
                .set(SESSIONS.LAST_ACTIVE_AT, now)
                .where(SESSIONS.ID.eq(session.value()))
                .execute();
    }

    private static void take(DSLContext sql, SessionId session) {
        RowLock.on(sql, sql.selectFrom(SESSIONS).where(SESSIONS.ID.eq(session.value())))
                .fetch();
    }

    private static TurnsRecord lease(Lease lease) {
        var change = new TurnsRecord();
        change.setLeaseUntil(lease.until());
        return change;
    }

    private static TurnsRecord ended(Turn.End end) {
        var change = new TurnsRecord();
        change.setState(State.ENDED.toString());
        change.setEndedAt(end.at());
        change.setEndReason(end.reason().toString());
        end.detail().ifPresent(change::setDetail);
        return change;
    }
}
