package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/// How a command ended, as its document says.
record ExecEnd(String reason, Optional<Integer> exitCode, Optional<String> signal, Optional<String> failure) {
    static ExecEnd of(JsonNode exec) {
        return new ExecEnd(
                exec.path("end_reason").asText(),
                Optional.of(exec.path("exit_code")).filter(JsonNode::isInt).map(JsonNode::asInt),
                Optional.of(exec.path("signal")).filter(JsonNode::isTextual).map(JsonNode::asText),
                Optional.of(exec.path("error").path("detail"))
                        .filter(JsonNode::isTextual)
                        .map(JsonNode::asText));
    }

    /// Says on stderr what the command's own output does not say, and returns the exit code that is ours now.
    int report(Output output) {
        explanation().ifPresent(output::note);
        return exitCode.orElse(ExitCode.NOT_RUN);
    }

    /// Why it ended, where its own output does not say so.
    private Optional<String> explanation() {
        return switch (reason) {
            case "exited", "signaled", "timed_out" -> Optional.empty();
            case "cancelled" -> Optional.of("The command was cancelled");
            case "oom_killed" -> Optional.of("The command was killed: the sandbox ran out of memory");
            default -> Optional.of(failure.orElse("The command ended: " + reason));
        };
    }

    /// In a few words, such as `exited 0` or `signaled 137 SIGKILL`.
    @Override
    public String toString() {
        var text = new StringBuilder(reason);
        exitCode.ifPresent(code -> text.append(' ').append(code));
        signal.ifPresent(name -> text.append(' ').append(name));
        return text.toString();
    }
}
