package hermit.api;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A call that asks a person first.
///
/// - `call`: what will run, as it was given: `command` or `argv`, `cwd`, `env_names` with a digest of the
///   values, `timeout_ms`, or a file's path. Files that a command reads are not part of what is approved.
/// - `shown`: the command or path for people: in one line, with all that a screen would hide or reorder
///   written out.
/// - `requester`, `decidedBy`: `user:ID`, `agent:UID`, `admin`; `hermit` where nobody decided.
/// - `state`: `pending`, `approved`, `executing`, `done`, `denied`, `expired`, `cancelled` or `unknown`.
/// - `execId`: of a command: under which it runs, if it is approved.
/// - `result`: of the tool, once it is done; long texts are cut.
public record Approval(
        UUID id,
        String agentId,
        UUID sessionId,
        UUID callId,
        String tool,
        String requester,
        UUID sandboxId,
        long sandboxGeneration,
        Map<String, Object> call,
        String shown,
        String state,
        Optional<UUID> execId,
        Instant createdAt,
        Instant expiresAt,
        Optional<Instant> decidedAt,
        Optional<String> decidedBy,
        Optional<String> reason,
        Optional<Map<String, Object>> result,
        Optional<Instant> finishedAt) {}
