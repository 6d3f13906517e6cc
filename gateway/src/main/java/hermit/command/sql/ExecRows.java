package hermit.command.sql;

import static hermit.db.generated.Tables.EXECS;

import hermit.command.EndReason;
import hermit.command.ExecRecord;
import hermit.command.ExecRecord.IdempotencyKey;
import hermit.command.Outcome;
import hermit.db.Jsonb;
import hermit.db.generated.tables.records.ExecsRecord;
import hermit.exec.Command.Program;
import hermit.exec.Command.Terminal;
import hermit.exec.ExecId;
import hermit.sandbox.SandboxId;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jooq.Field;

/// A command as columns, and back.
final class ExecRows {
    /// The columns that a command's end fills in or changes for the last time.
    static final Field<?>[] END = {
        EXECS.GENERATION,
        EXECS.STDOUT_BYTES,
        EXECS.STDERR_BYTES,
        EXECS.NOTES,
        EXECS.ENDED_AT,
        EXECS.END_REASON,
        EXECS.EXIT_CODE,
        EXECS.SIGNAL,
        EXECS.TIMED_OUT,
        EXECS.DURATION_NS,
        EXECS.FAILURE_CODE,
        EXECS.FAILURE_DETAIL
    };

    private ExecRows() {}

    static ExecsRecord write(ExecRecord exec) {
        var row = new ExecsRecord();
        row.setId(exec.id().value());
        row.setSandboxId(exec.sandboxId().value());
        row.setGateway(exec.gateway());
        row.setCaller(exec.caller());
        switch (exec.program()) {
            case Program.Shell(String text) -> row.setCommand(text);
            case Program.Argv(var arguments) -> row.setArgv(Jsonb.of(arguments));
        }
        row.setCwd(exec.cwd());
        exec.timeout().map(Duration::toMillis).ifPresent(row::setTimeoutMs);
        row.setBackground(exec.background());
        exec.terminal().ifPresent(size -> {
            row.setTerminalCols(size.cols());
            row.setTerminalRows(size.rows());
        });
        row.setMaxOutputBytes(exec.maxOutputBytes());
        exec.idempotencyKey().ifPresent(key -> {
            row.setIdempotencyKey(key.key());
            row.setRequestSha256(key.bodySha256());
        });
        row.setCreatedAt(exec.createdAt());
        row.setTimedOut(false);
        writeProgress(exec, row);
        exec.outcome().ifPresent(outcome -> writeOutcome(outcome, row));
        return row;
    }

    /// The columns that change while it runs.
    static void writeProgress(ExecRecord exec, ExecsRecord row) {
        row.setGeneration(exec.generation());
        exec.startedAt().ifPresent(row::setStartedAt);
        row.setStdoutBytes(exec.stdoutBytes());
        row.setStderrBytes(exec.stderrBytes());
        row.setNotes(Jsonb.of(exec.notes()));
    }

    static void writeOutcome(Outcome outcome, ExecsRecord row) {
        row.setEndedAt(outcome.endedAt());
        row.setEndReason(outcome.reason().toString());
        outcome.exitCode().ifPresent(row::setExitCode);
        outcome.signal().ifPresent(row::setSignal);
        row.setTimedOut(outcome.timedOut());
        row.setDurationNs(outcome.duration().toNanos());
        outcome.failure().ifPresent(failure -> {
            row.setFailureCode(failure.code());
            // PostgreSQL's text has no NUL; a provider's message may.
            row.setFailureDetail(failure.detail().replace("\0", ""));
        });
    }

    static ExecRecord read(ExecsRecord row) {
        return new ExecRecord(
                new ExecId(row.getId()),
                new SandboxId(row.getSandboxId()),
                row.getGateway(),
                row.getCaller(),
                program(row),
                row.getCwd(),
                Optional.ofNullable(row.getTimeoutMs()).map(Duration::ofMillis),
                row.getBackground(),
                Optional.ofNullable(row.getTerminalCols()).map(cols -> new Terminal(cols, row.getTerminalRows())),
                row.getMaxOutputBytes(),
                Optional.ofNullable(row.getIdempotencyKey())
                        .map(key -> new IdempotencyKey(key, row.getRequestSha256())),
                row.getGeneration(),
                row.getCreatedAt(),
                Optional.ofNullable(row.getStartedAt()),
                Optional.ofNullable(row.getEndReason()).map(reason -> outcome(reason, row)),
                row.getStdoutBytes(),
                row.getStderrBytes(),
                Jsonb.texts(row.getNotes()));
    }

    private static Program program(ExecsRecord row) {
        return row.getArgv() == null
                ? new Program.Shell(row.getCommand())
                : new Program.Argv(Jsonb.texts(row.getArgv()));
    }

    private static Outcome outcome(String reason, ExecsRecord row) {
        return new Outcome(
                EndReason.valueOf(reason.toUpperCase(Locale.ROOT)),
                Optional.ofNullable(row.getExitCode()),
                Optional.ofNullable(row.getSignal()),
                row.getTimedOut(),
                Duration.ofNanos(row.getDurationNs()),
                row.getEndedAt(),
                Optional.ofNullable(row.getFailureCode())
                        .map(code -> new Outcome.Failure(code, row.getFailureDetail())));
    }
}
