package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `POST …/execs`: a shell command or an exact argument list. What is empty is not sent, so that the gateway's default
/// applies.
///
/// - `stdinEncoding`, `encoding`: `utf8` or `base64`.
/// - `timeoutMs`: the command's budget in milliseconds.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record StartExec(
        Optional<String> command,
        Optional<List<String>> argv,
        Optional<String> cwd,
        Optional<Map<String, String>> env,
        Optional<String> stdin,
        Optional<String> stdinEncoding,
        Optional<Boolean> stdinOpen,
        Optional<Long> timeoutMs,
        Optional<Long> maxOutputBytes,
        Optional<String> encoding,
        Optional<Boolean> login,
        Optional<Boolean> background,
        Optional<Boolean> cancelOnDisconnect,
        Optional<String> idempotencyKey) {}
