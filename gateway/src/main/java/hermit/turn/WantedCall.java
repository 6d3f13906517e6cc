package hermit.turn;

import hermit.problem.Documents;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A call of a tool that a model asks for.
///
/// - `id`: ours, and the same in the session's log. The provider's own ids are not kept: some give none,
///   and some the same twice.
/// - `exec`: under which its command runs, if it is one.
/// - `tool`: as the model names it; there may be no such tool.
/// - `unreadable`: why what the model has given as arguments is none, as the model is told; then nothing is called.
public record WantedCall(UUID id, UUID exec, String tool, Map<String, Object> arguments, Optional<String> unreadable) {
    public WantedCall {
        arguments = Documents.copyOf(arguments);
    }
}
