package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What `sandbox exec` asks the gateway to run.
final class ExecRequest {
    /// Most that the gateway takes within a request. A command that somebody waits for can have more, piece
    /// by piece.
    static final int MOST_STDIN = 8 << 20;

    /// A single word with one of these was meant for a shell: no program's name has them.
    private static final Pattern SHELL_SIGNS = Pattern.compile("[\\s|&;<>()$`\\\\\"'*?\\[\\]#~=%{}!]");

    private final ObjectNode body = JsonTree.object();

    /// Several words are an exact argument list and reach the program as they are. One word is the name of a
    /// program, or, with spaces or shell signs in it, the text of a shell command.
    static ExecRequest ofWords(List<String> words) {
        var only = words.size() == 1 ? words.getFirst() : "";
        if (SHELL_SIGNS.matcher(only).find()) return ofCommand(only);
        var request = new ExecRequest();
        var argv = request.body.putArray("argv");
        words.forEach(argv::add);
        return request;
    }

    static ExecRequest ofCommand(String text) {
        var request = new ExecRequest();
        request.body.put("command", text);
        return request;
    }

    ExecRequest in(Optional<String> cwd) {
        cwd.ifPresent(directory -> body.put("cwd", directory));
        return this;
    }

    ExecRequest with(Map<String, String> env) {
        if (!env.isEmpty()) {
            ObjectNode variables = body.putObject("env");
            env.forEach(variables::put);
        }
        return this;
    }

    ExecRequest within(Optional<Duration> timeout) {
        timeout.ifPresent(limit -> body.put("timeout_ms", limit.toMillis()));
        return this;
    }

    ExecRequest login(boolean login) {
        if (login) body.put("login", true);
        return this;
    }

    /// Asked again with the same key, the gateway knows that it is the same command. It need not be secret,
    /// only new: keys are told apart by who asks, and forgotten after a day.
    ExecRequest once() {
        var process = ProcessHandle.current().pid();
        var key = "cli-%x-%x-%x".formatted(process, System.currentTimeMillis(), System.nanoTime());
        body.put("idempotency_key", key);
        return this;
    }

    /// Its answer comes at once, and it runs on without us.
    ExecRequest inBackground() {
        body.put("background", true);
        return this;
    }

    /// Its input follows while it runs.
    ExecRequest withStdinOpen() {
        body.put("stdin_open", true);
        return this;
    }

    /// Bytes as they are, or text for a document.
    ExecRequest encoded(boolean bytes) {
        body.put("encoding", bytes ? "base64" : "utf8");
        return this;
    }

    String encoding() {
        return body.path("encoding").asText();
    }

    /// All of its input, read to the end now.
    ExecRequest stdin(InputStream in) throws CliFailure {
        try {
            byte[] bytes = in.readNBytes(MOST_STDIN + 1);
            if (bytes.length > MOST_STDIN)
                throw CliFailure.usage(
                        "stdin is larger than %d bytes: put it into a file of the sandbox".formatted(MOST_STDIN));
            body.put("stdin", Base64.getEncoder().encodeToString(bytes)).put("stdin_encoding", "base64");
            return this;
        } catch (IOException e) {
            throw CliFailure.local("stdin", "read stdin: " + e.getMessage());
        }
    }

    ObjectNode body() {
        return body;
    }
}
