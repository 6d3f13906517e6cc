package hermit.tool;

import hermit.command.ExecRecord;
import hermit.command.ExecRequest.Encoding;
import hermit.command.ExecView;
import hermit.command.ExecView.Slice;
import hermit.command.Outcome;
import hermit.command.Utf8;
import hermit.session.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/// A command and its output as the result of a tool. The fields are those of the API's results of commands.
final class ExecDocument {
    private ExecDocument() {}

    /// With at most so many bytes of each stream. What may be the beginning of a secret that goes on behind the cut
    /// comes with what follows it, so that no part of it is shown.
    static Map<String, Object> of(ExecView view, Encoding encoding, int most, Redaction redaction) {
        ExecRecord record = view.record();
        var document = new LinkedHashMap<String, Object>();
        document.put("exec_id", record.id().toString());
        document.put("state", record.state());
        record.outcome().ifPresent(outcome -> end(outcome, document));
        document.put("encoding", encoding.toString());
        boolean ended = record.outcome().isPresent();
        output("stdout", view.stdout(), encoding, most, ended, redaction, document);
        output("stderr", view.stderr(), encoding, most, ended, redaction, document);
        document.put("sandbox_generation", record.generation());
        document.put("notes", record.notes());
        return document;
    }

    private static void end(Outcome outcome, Map<String, Object> document) {
        outcome.exitCode().ifPresent(code -> document.put("exit_code", code));
        document.put("end_reason", outcome.reason().toString());
        document.put("timed_out", outcome.timedOut());
        document.put("duration_ms", outcome.duration().toMillis());
        outcome.failure()
                .ifPresent(
                        failure -> document.put("error", Map.of("code", failure.code(), "detail", failure.detail())));
    }

    private static void output(
            String name,
            Slice slice,
            Encoding encoding,
            int most,
            boolean ended,
            Redaction redaction,
            Map<String, Object> document) {
        byte[] bytes = slice.bytes().length <= most ? slice.bytes() : Arrays.copyOf(slice.bytes(), most);
        boolean goesOn = !ended || slice.offset() + bytes.length < slice.total();
        int length = bytes.length - (goesOn && encoding == Encoding.UTF8 ? Utf8.unfinished(bytes) : 0);
        boolean moreIsHeld = !ended || slice.bytes().length > most;
        if (moreIsHeld && encoding == Encoding.UTF8) length -= open(Utf8.decode(bytes, length), redaction);
        long next = slice.offset() + length;
        document.put(
                name,
                switch (encoding) {
                    case UTF8 -> Utf8.decode(bytes, length);
                    case BASE64 -> Base64.getEncoder().encodeToString(bytes);
                });
        document.put(name + "_next_offset", next);
        document.put(name + "_truncated", next < slice.total());
        document.put(name + "_dropped_bytes", Math.max(0, slice.total() - next));
    }

    private static int open(String text, Redaction redaction) {
        return text.substring(text.length() - redaction.open(text)).getBytes(StandardCharsets.UTF_8).length;
    }
}
