package hermit.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

/// One command with a piece of its output. The fields of `summary` stand beside the others.
///
/// - `encoding`: of `stdout` and `stderr`: `utf8`, with replacement characters for what is no UTF-8, or `base64`.
/// - `stdoutOffset`: where in the stream the piece begins, in bytes; `stdoutNextOffset`: where the next one would.
/// - `stdoutTruncated`, `stdoutDroppedBytes`: whether and by how many bytes the stream goes on behind the piece.
public record ExecResult(
        @JsonUnwrapped ExecSummary summary,
        String encoding,
        String stdout,
        String stderr,
        long stdoutOffset,
        long stderrOffset,
        long stdoutNextOffset,
        long stderrNextOffset,
        boolean stdoutTruncated,
        boolean stderrTruncated,
        long stdoutDroppedBytes,
        long stderrDroppedBytes) {}
