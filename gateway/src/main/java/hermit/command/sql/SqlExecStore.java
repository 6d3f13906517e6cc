package hermit.command.sql;

import static hermit.db.generated.Tables.EXECS;
import static hermit.db.generated.Tables.EXEC_OUTPUT;

import hermit.command.EndReason;
import hermit.command.ExecFilter;
import hermit.command.ExecRecord;
import hermit.command.ExecStore;
import hermit.command.StoredOutput;
import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.db.Repeated;
import hermit.db.generated.tables.records.ExecOutputRecord;
import hermit.db.generated.tables.records.ExecsRecord;
import hermit.exec.ExecId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.SandboxId;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Insert;
import org.jooq.Update;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/// Commands in the tables `execs` and `exec_output`.
public final class SqlExecStore implements ExecStore {
    private static final Condition OPEN = EXECS.ENDED_AT.isNull();
    private static final List<String> LOST =
            EndReason.LOST.stream().map(EndReason::toString).toList();
    private static final Repeated<Insert<ExecsRecord>> INSERT = new Repeated<>((sql, value) ->
            sql.insertInto(EXECS).set(value.ofEach(EXECS.fields())).onConflictDoNothing());
    private static final Repeated<Update<ExecsRecord>> END = new Repeated<>((sql, value) -> sql.update(EXECS)
            .set(EXECS.STARTED_AT, DSL.coalesce(value.of(EXECS.STARTED_AT), EXECS.STARTED_AT))
            .set(value.ofEach(ExecRows.END))
            .where(EXECS.ID.eq(value.of(EXECS.ID)), OPEN));
    private static final Repeated<Insert<ExecOutputRecord>> INSERT_OUTPUT =
            new Repeated<>((sql, value) -> sql.insertInto(EXEC_OUTPUT)
                    .set(value.ofEach(
                            EXEC_OUTPUT.EXEC_ID,
                            EXEC_OUTPUT.STDOUT,
                            EXEC_OUTPUT.STDERR,
                            EXEC_OUTPUT.BYTES,
                            EXEC_OUTPUT.ENDED_AT)));

    private final Database database;

    public SqlExecStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<ExecRecord> insert(ExecRecord record, Instant keysSince) {
        return database.write("store a command", sql -> {
            Optional<Condition> sameKey = record.idempotencyKey()
                    .map(key -> DSL.and(
                            EXECS.SANDBOX_ID.eq(record.sandboxId().value()),
                            EXECS.CALLER.eq(record.caller()),
                            EXECS.IDEMPOTENCY_KEY.eq(key.key())));
            sameKey.ifPresent(same -> giveUpKeyBefore(keysSince, same, sql));
            int made = INSERT.on(sql, ExecRows.write(record).intoArray()).execute();
            if (made == 1) return Optional.empty();
            // Only a key can be taken: ids are made anew for each command.
            Condition same = sameKey.orElseThrow(
                    () -> new IllegalStateException("Command " + record.id() + " is stored already"));
            return Optional.of(sql.selectFrom(EXECS).where(same).fetchSingle(ExecRows::read));
        });
    }

    @Override
    public void started(ExecRecord record) {
        var change = new ExecsRecord();
        ExecRows.writeProgress(record, change);
        database.write(
                "note a command's start",
                sql -> sql.update(EXECS)
                        .set(change)
                        .where(EXECS.ID.eq(record.id().value()), OPEN)
                        .execute());
    }

    @Override
    public boolean ended(ExecRecord record, StoredOutput output) {
        ExecsRecord row = ExecRows.write(record);
        var values = new ArrayList<@Nullable Object>();
        values.add(row.getStartedAt());
        for (Field<?> field : ExecRows.END) values.add(row.get(field));
        values.add(row.getId());
        return database.write("store a command's outcome", sql -> {
            int ended = END.on(sql, values.toArray()).execute();
            if (ended == 0) return false;
            if (output.size() == 0) return true;
            INSERT_OUTPUT
                    .on(sql, row.getId(), output.stdout(), output.stderr(), output.size(), row.getEndedAt())
                    .execute();
            return true;
        });
    }

    @Override
    public boolean cancel(ExecId id, Instant now) {
        return database.write(
                        "cancel a command",
                        sql -> sql.update(EXECS)
                                .set(
                                        EXECS.CANCELLED_AT,
                                        DSL.coalesce(EXECS.CANCELLED_AT, DSL.val(now, EXECS.CANCELLED_AT)))
                                .where(EXECS.ID.eq(id.value()), OPEN)
                                .execute())
                == 1;
    }

    @Override
    public List<ExecId> cancelled(UUID gateway) {
        return database.read(
                "look for cancelled commands",
                sql -> sql.select(EXECS.ID)
                        .from(EXECS)
                        .where(EXECS.GATEWAY.eq(gateway), OPEN, EXECS.CANCELLED_AT.isNotNull())
                        .fetch(row -> new ExecId(row.get(EXECS.ID))));
    }

    @Override
    public Optional<ExecRecord> find(SandboxId sandbox, ExecId id) {
        return database.read(
                "find a command",
                sql -> sql.selectFrom(EXECS)
                        .where(EXECS.ID.eq(id.value()), EXECS.SANDBOX_ID.eq(sandbox.value()))
                        .fetchOptional(ExecRows::read));
    }

    @Override
    public StoredOutput output(ExecId id) {
        return database.read(
                        "read a command's output",
                        sql -> sql.selectFrom(EXEC_OUTPUT)
                                .where(EXEC_OUTPUT.EXEC_ID.eq(id.value()))
                                .fetchOptional(row -> new StoredOutput(row.getStdout(), row.getStderr())))
                .orElse(StoredOutput.NONE);
    }

    @Override
    public long outputBytes() {
        return database.read(
                "add up the output of commands",
                sql -> sql.select(DSL.sum(EXEC_OUTPUT.BYTES))
                        .from(EXEC_OUTPUT)
                        .fetchOptional(DSL.sum(EXEC_OUTPUT.BYTES))
                        .map(BigDecimal::longValueExact)
                        .orElse(0L));
    }

    @Override
    public long dropOutput(long bytes, int limit, String note) {
        return database.write("drop the oldest output of commands", sql -> {
            var oldest = sql.select(EXEC_OUTPUT.EXEC_ID, EXEC_OUTPUT.BYTES, EXECS.NOTES)
                    .from(EXEC_OUTPUT)
                    .join(EXECS)
                    .on(EXECS.ID.eq(EXEC_OUTPUT.EXEC_ID))
                    .orderBy(EXEC_OUTPUT.ENDED_AT, EXEC_OUTPUT.EXEC_ID)
                    .limit(limit)
                    .fetch();
            long gone = 0;
            for (var each : oldest) {
                if (gone >= bytes) break;
                // Another gateway may be at the same rows.
                int deleted = sql.deleteFrom(EXEC_OUTPUT)
                        .where(EXEC_OUTPUT.EXEC_ID.eq(each.value1()))
                        .execute();
                if (deleted == 0) continue;
                var notes = new ArrayList<>(Jsonb.texts(each.value3()));
                notes.add(note);
                sql.update(EXECS)
                        .set(EXECS.NOTES, Jsonb.of(notes))
                        .where(EXECS.ID.eq(each.value1()))
                        .execute();
                gone += each.value2();
            }
            return gone;
        });
    }

    @Override
    public Page<ExecRecord> list(SandboxId sandbox, ExecFilter filter, PageRequest page) {
        Condition wanted = filter == ExecFilter.OPEN ? OPEN : DSL.noCondition();
        Condition before = page.after().map(key -> EXECS.ID.lt(key(key))).orElse(DSL.noCondition());
        List<ExecRecord> found = database.read(
                "list commands",
                sql -> sql.selectFrom(EXECS)
                        .where(EXECS.SANDBOX_ID.eq(sandbox.value()), wanted, before)
                        .orderBy(EXECS.ID.desc())
                        .limit(page.limit() + 1)
                        .fetch(ExecRows::read));
        return Page.of(found, page.limit(), record -> record.id().toString());
    }

    @Override
    public List<ExecRecord> open(UUID gateway) {
        return database.read(
                "list open commands",
                sql -> sql.selectFrom(EXECS)
                        .where(EXECS.GATEWAY.eq(gateway), OPEN)
                        .orderBy(EXECS.ID)
                        .fetch(ExecRows::read));
    }

    @Override
    public List<ExecId> lost(SandboxId sandbox, long generation, Instant endedSince, int limit) {
        return database.read(
                "list lost commands",
                sql -> sql.select(EXECS.ID)
                        .from(EXECS)
                        .where(
                                EXECS.SANDBOX_ID.eq(sandbox.value()),
                                EXECS.GENERATION.eq(generation),
                                EXECS.ENDED_AT.ge(endedSince),
                                EXECS.END_REASON.in(LOST))
                        .orderBy(EXECS.ID.desc())
                        .limit(limit)
                        .fetch(row -> new ExecId(row.value1())));
    }

    @Override
    public int prune(Instant endedBefore, int limit) {
        return database.write(
                "remove old commands",
                sql -> sql.deleteFrom(EXECS)
                        .where(EXECS.ID.in(DSL.select(EXECS.ID)
                                .from(EXECS)
                                .where(EXECS.ENDED_AT.lt(endedBefore))
                                .orderBy(EXECS.ENDED_AT)
                                .limit(limit)))
                        .execute());
    }

    private static void giveUpKeyBefore(Instant keysSince, Condition same, DSLContext sql) {
        sql.update(EXECS)
                .setNull(EXECS.IDEMPOTENCY_KEY)
                .setNull(EXECS.REQUEST_SHA256)
                .where(same, EXECS.CREATED_AT.lt(keysSince))
                .execute();
    }

    private static UUID key(String key) {
        return ExecId.parse(key)
                .orElseThrow(() -> new Invalid("cursor", "does not belong to this list"))
                .value();
    }
}
