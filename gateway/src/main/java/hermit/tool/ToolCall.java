package hermit.tool;

import hermit.command.ExecRequest;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.problem.Documents;
import hermit.sandbox.Sandbox;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/// One call of a tool, and where it is to happen.
///
/// - `document`: as it came in, without what concerns only its answer.
/// - `summary`: for people and for the log. Of variables the names, of input and content the size.
/// - `sha256`: of everything that decides what a command does: the same digest means the same command.
record ToolCall(
        UUID id,
        Tool tool,
        Sandbox sandbox,
        ToolArguments arguments,
        Map<String, Object> document,
        Map<String, Object> summary,
        String sha256) {
    private static final int SHOWN_BYTES = 4_096;

    ToolCall {
        document = Documents.copyOf(document);
        summary = Documents.copyOf(summary);
    }

    static ToolCall of(UUID id, Tool tool, Sandbox sandbox, ToolArguments arguments, Map<String, Object> document) {
        var summary = new LinkedHashMap<String, Object>();
        summary.put("sandbox", sandbox.alias().value());
        var digest = new CallDigest();
        if (arguments instanceof ToolArguments.Run(ExecRequest request)) {
            describe(request, sandbox.config().agentHome(), summary, digest);
        } else {
            digest.add(tool.toString());
            describe(arguments, summary, digest);
        }
        return new ToolCall(id, tool, sandbox, arguments, document, summary, digest.finish());
    }

    private static void describe(ExecRequest request, String home, Map<String, Object> summary, CallDigest digest) {
        switch (request.program()) {
            case Program.Shell(String text) -> {
                summary.put("command", text);
                digest.add("command").add(text);
            }
            case Program.Argv(List<String> arguments) -> {
                summary.put("argv", arguments);
                digest.add("argv").add(Integer.toString(arguments.size()));
                arguments.forEach(digest::add);
            }
        }
        String cwd = request.cwd()
                .map(path -> path.startsWith("/") ? path : home + "/" + path)
                .orElse(home);
        summary.put("cwd", cwd);
        var names = new TreeMap<>(request.env());
        var values = new CallDigest();
        names.forEach((name, value) -> values.add(name).add(value));
        String env = values.finish();
        summary.put("env_names", List.copyOf(names.keySet()));
        if (!names.isEmpty()) summary.put("env_sha256", env);
        request.timeout().map(Duration::toMillis).ifPresent(millis -> summary.put("timeout_ms", millis));
        if (request.login()) summary.put("login", true);
        digest.add(cwd).add(env).add(Boolean.toString(request.login()));
        if (request.stdin() instanceof Stdin.Bytes(byte[] bytes)) {
            summary.put("stdin_bytes", bytes.length);
            summary.put("stdin_sha256", new CallDigest().add(bytes).finish());
            digest.add(bytes);
        }
    }

    private static void describe(ToolArguments arguments, Map<String, Object> summary, CallDigest digest) {
        switch (arguments) {
            case ToolArguments.Run _ -> throw new IllegalArgumentException("a command");
            case ToolArguments.Status status ->
                summary.put("exec_id", status.exec().toString());
            case ToolArguments.Cancel cancel ->
                summary.put("exec_id", cancel.exec().toString());
            case ToolArguments.Read read -> {
                summary.put("path", read.path());
                if (read.offset() > 0) summary.put("offset", read.offset());
            }
            case ToolArguments.Write write -> {
                summary.put("path", write.path());
                summary.put("bytes", write.content().length);
                summary.put("content_begins", beginning(write.content()));
                summary.put("sha256", new CallDigest().add(write.content()).finish());
            }
            case ToolArguments.Edit edit -> {
                summary.put("path", edit.path());
                summary.put("old_text", edit.oldText());
                summary.put("new_text", edit.newText());
                summary.put("replace_all", edit.all());
            }
            case ToolArguments.ListFiles list -> summary.put("path", list.path());
        }
        summary.forEach((name, value) -> digest.add(name).add(String.valueOf(value)));
    }

    /// Enough for a person to see what it is about; the digest is of all of it.
    private static String beginning(byte[] content) {
        return new String(content, 0, Math.min(content.length, SHOWN_BYTES), StandardCharsets.UTF_8);
    }
}
