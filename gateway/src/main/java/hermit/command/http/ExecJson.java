package hermit.command.http;

import hermit.api.ExecResult;
import hermit.api.ExecSummary;
import hermit.command.ExecRecord;
import hermit.command.ExecRequest.Encoding;
import hermit.command.ExecView;
import hermit.command.ExecView.Slice;
import hermit.command.Outcome;
import hermit.command.Utf8;
import hermit.exec.Command.Program;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// Commands as they travel.
final class ExecJson {
    private ExecJson() {}

    static ExecSummary summary(ExecRecord record) {
        Optional<Outcome> outcome = record.outcome();
        return new ExecSummary(
                record.id().value(),
                record.state(),
                record.caller(),
                command(record.program()),
                argv(record.program()),
                record.cwd(),
                record.background(),
                record.timeout().map(Duration::toMillis),
                record.createdAt(),
                record.startedAt(),
                outcome.map(Outcome::endedAt),
                outcome.flatMap(Outcome::exitCode),
                outcome.map(each -> each.reason().toString()),
                outcome.flatMap(Outcome::signal).map(Signals::name),
                outcome.map(Outcome::timedOut).orElse(false),
                outcome.map(each -> each.duration().toMillis()),
                record.stdoutBytes(),
                record.stderrBytes(),
                record.generation(),
                record.notes(),
                outcome.flatMap(Outcome::failure).map(each -> new ExecSummary.Failure(each.code(), each.detail())),
                record.terminal().isPresent());
    }

    /// As it was when it began, also if it has ended meanwhile.
    static ExecSummary begun(ExecRecord record) {
        return summary(new ExecRecord(
                record.id(),
                record.sandboxId(),
                record.gateway(),
                record.caller(),
                record.program(),
                record.cwd(),
                record.timeout(),
                record.background(),
                record.terminal(),
                record.maxOutputBytes(),
                record.idempotencyKey(),
                record.generation(),
                record.createdAt(),
                record.startedAt(),
                Optional.empty(),
                0,
                0,
                record.notes()));
    }

    static ExecResult result(ExecView view, Encoding encoding) {
        boolean ended = view.record().outcome().isPresent();
        var stdout = Piece.of(view.stdout(), encoding, ended);
        var stderr = Piece.of(view.stderr(), encoding, ended);
        return new ExecResult(
                summary(view.record()),
                encoding.toString(),
                stdout.text,
                stderr.text,
                stdout.offset,
                stderr.offset,
                stdout.next,
                stderr.next,
                stdout.dropped > 0,
                stderr.dropped > 0,
                stdout.dropped,
                stderr.dropped);
    }

    /// A slice as text. A character that the slice cuts belongs to the next one, so that no reader ever sees
    /// half of it.
    private record Piece(String text, long offset, long next, long dropped) {
        static Piece of(Slice slice, Encoding encoding, boolean ended) {
            byte[] bytes = slice.bytes();
            boolean goesOn = !ended || slice.truncated();
            int length = bytes.length - (goesOn && encoding == Encoding.UTF8 ? Utf8.unfinished(bytes) : 0);
            String text = switch (encoding) {
                case UTF8 -> Utf8.decode(bytes, length);
                case BASE64 -> Base64.getEncoder().encodeToString(bytes);
            };
            long next = slice.offset() + length;
            return new Piece(text, slice.offset(), next, Math.max(0, slice.total() - next));
        }
    }

    private static Optional<String> command(Program program) {
        return switch (program) {
            case Program.Shell(String text) -> Optional.of(text);
            case Program.Argv _ -> Optional.empty();
        };
    }

    private static Optional<List<String>> argv(Program program) {
        return switch (program) {
            case Program.Shell _ -> Optional.empty();
            case Program.Argv(List<String> arguments) -> Optional.of(arguments);
        };
    }
}
