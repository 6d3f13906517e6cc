package hermit.tool;

import hermit.access.Role;
import hermit.access.SecurityPolicy;
import hermit.command.ExecLimits;
import hermit.command.ExecRequest;
import hermit.paging.PageRequest;
import hermit.sandbox.Alias;
import hermit.sandbox.SandboxView;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The tools as programs are told of them: the one place where their arguments and what they do are described. Whether
/// a call is carried out is decided at the call, by [ToolPolicy] and [ToolArguments], whatever was offered.
public final class ToolSchemas {
    private static final String OUTPUT = " The result has exit_code, end_reason, stdout and stderr; of long output"
            + " head and tail, and in between how to read what is left out. What was printed beyond max_output_bytes"
            + " is lost when the command has ended: stdout_truncated or stderr_truncated is true then.";

    private final ExecLimits limits;

    public ToolSchemas(ExecLimits limits) {
        this.limits = limits;
    }

    /// Those that the policy does not refuse to somebody of this role, for an agent with these sandboxes, each with
    /// a description of them. The order is always the same.
    public List<ToolSchema> offered(SecurityPolicy policy, Role role, List<SandboxView> sandboxes) {
        return offered(policy, role, described(sandboxes));
    }

    /// The same for a model that is told of the sandboxes elsewhere: each tool has their aliases only.
    public List<ToolSchema> offeredByAlias(SecurityPolicy policy, Role role, List<SandboxView> sandboxes) {
        return offered(policy, role, named(sandboxes, "Which sandbox; %s if silent.".formatted(Alias.DEFAULT)));
    }

    private List<ToolSchema> offered(SecurityPolicy policy, Role role, Map<String, Object> sandbox) {
        return Arrays.stream(Tool.values())
                .filter(tool -> !(ToolPolicy.decide(policy, role, tool) instanceof ToolPolicy.Verdict.Refused))
                .map(tool -> of(tool, sandbox))
                .toList();
    }

    /// One of them, for an agent with these sandboxes.
    public ToolSchema of(Tool tool, List<SandboxView> sandboxes) {
        return of(tool, described(sandboxes));
    }

    /// `sandbox`: what is said of the argument of that name.
    private ToolSchema of(Tool tool, Map<String, Object> sandbox) {
        var properties = properties(tool);
        properties.put("sandbox", sandbox);
        var input = new LinkedHashMap<String, Object>();
        input.put("type", "object");
        input.put("properties", properties);
        input.put("required", required(tool));
        input.put("additionalProperties", false);
        return new ToolSchema(tool, title(tool), description(tool), input);
    }

    private static String title(Tool tool) {
        return switch (tool) {
            case EXEC -> "Run a command";
            case EXEC_BACKGROUND -> "Start a command in the background";
            case EXEC_STATUS -> "Look after a command";
            case EXEC_CANCEL -> "Cancel a command";
            case READ_FILE -> "Read a file";
            case WRITE_FILE -> "Write a file";
            case EDIT_FILE -> "Replace text in a file";
            case LIST_FILES -> "List a directory";
        };
    }

    private static String description(Tool tool) {
        return switch (tool) {
            case EXEC ->
                "Runs a command in a sandbox and waits for its end. Give either command, a text for sh -c, or argv, a"
                        + " program with its exact arguments. A command that fails is a result, too: look at exit_code."
                        + OUTPUT
                        + " For what runs longer than some minutes, such as a server, use exec_background.";
            case EXEC_BACKGROUND ->
                "Starts a command in a sandbox and answers at once with its exec_id, for exec_status and exec_cancel."
                        + " It has no time limit unless timeout_ms is given.";
            case EXEC_STATUS ->
                "Tells how a command of this session stands: state, and the output from the given offsets on. Pass"
                        + " stdout_next_offset and stderr_next_offset of the last answer to get only what is new."
                        + OUTPUT;
            case EXEC_CANCEL ->
                "Ends a command of this session with all its processes: TERM first, KILL two seconds later.";
            case READ_FILE ->
                "Reads a file of a sandbox, or a piece of a large one. truncated tells that there is more: go on at"
                        + " offset plus the bytes that were read.";
            case WRITE_FILE ->
                "Writes a whole file in a sandbox, in place of what was there. Directories on the way are made.";
            case EDIT_FILE ->
                "Replaces a text in a file of a sandbox. old_text must be in the file exactly once, with all its spaces"
                        + " and line breaks, unless replace_all is true.";
            case LIST_FILES ->
                "Lists a directory of a sandbox: name, type, size and time of each entry. If there is next, ask again"
                        + " with it as after.";
        };
    }

    private Map<String, Object> properties(Tool tool) {
        var properties = new LinkedHashMap<String, Object>();
        switch (tool) {
            case EXEC, EXEC_BACKGROUND -> command(properties);
            case EXEC_STATUS -> {
                properties.put("exec_id", text("The command's id."));
                properties.put("stdout_offset", number("Output from this byte on; from the first if silent.", 0));
                properties.put("stderr_offset", number("The same for stderr.", 0));
                properties.put(
                        "wait_ms",
                        number("How long to wait for its end, if it still runs.", 0, ToolArguments.MAX_WAIT_MS));
                properties.put("encoding", encoding("How output is given: base64 for exact bytes."));
            }
            case EXEC_CANCEL -> properties.put("exec_id", text("The command's id."));
            case READ_FILE -> {
                properties.put("path", path());
                properties.put("offset", number("The first byte; 0 if silent.", 0));
                properties.put("length", number("At most so many bytes.", 1, ToolArguments.MOST_BYTES));
                properties.put("encoding", encoding("How the content is given: base64 for what is no text."));
            }
            case WRITE_FILE -> {
                properties.put("path", path());
                properties.put("content", text("The whole content, at most 1 MiB."));
                properties.put("encoding", encoding("How content is given: base64 for what is no text."));
            }
            case EDIT_FILE -> {
                properties.put("path", path());
                properties.put("old_text", text("What is to be replaced."));
                properties.put("new_text", text("What stands there afterwards; may be empty."));
                properties.put("replace_all", flag("Replace it wherever it is."));
            }
            case LIST_FILES -> {
                properties.put("path", path());
                properties.put("after", text("The name to go on behind."));
                properties.put("limit", number("At most so many entries.", 1, PageRequest.MAX_LIMIT));
            }
        }
        return properties;
    }

    private void command(Map<String, Object> properties) {
        properties.put("command", text("A text for sh -c. Not together with argv."));
        properties.put(
                "argv",
                Map.of(
                        "type", "array",
                        "items", Map.of("type", "string"),
                        "description", "The program and its arguments, without a shell. Not together with command."));
        properties.put("cwd", text("Where it runs: absolute, or from the home directory, which it is if silent."));
        properties.put(
                "env",
                Map.of(
                        "type", "object",
                        "additionalProperties", Map.of("type", "string"),
                        "description", "Further environment variables."));
        properties.put("stdin", text("What it reads from stdin; nothing if silent."));
        properties.put("stdin_encoding", encoding("How stdin is given: base64 for exact bytes."));
        properties.put(
                "timeout_ms",
                number(
                        "Its time; then it is ended, with what it has printed so far kept.",
                        1,
                        limits.maxTimeout().toMillis()));
        properties.put(
                "max_output_bytes",
                number(
                        "How much of each of stdout and stderr comes back; %d if silent."
                                .formatted(limits.defaultOutputBytes()),
                        0,
                        limits.maxOutputBytes()));
        properties.put("encoding", encoding("How output is given: base64 for exact bytes."));
        properties.put("login", flag("Take a fresh login shell's environment, after profiles were changed."));
    }

    private static List<String> required(Tool tool) {
        return switch (tool) {
            case EXEC, EXEC_BACKGROUND -> List.of(); // one of command and argv, which not every provider can be told
            case EXEC_STATUS, EXEC_CANCEL -> List.of("exec_id");
            case READ_FILE, LIST_FILES -> List.of("path");
            case WRITE_FILE -> List.of("path", "content");
            case EDIT_FILE -> List.of("path", "old_text", "new_text");
        };
    }

    private static Map<String, Object> described(List<SandboxView> sandboxes) {
        if (sandboxes.isEmpty()) return text("The agent has no sandbox now, so there is nowhere to do it.");
        String all = sandboxes.stream()
                .map(each -> "%s (%s)".formatted(each.sandbox().alias(), SandboxText.of(each)))
                .collect(Collectors.joining(", "));
        return named(sandboxes, "Which sandbox; %s if silent. There are: %s.".formatted(Alias.DEFAULT, all));
    }

    private static Map<String, Object> named(List<SandboxView> sandboxes, String description) {
        var property = new LinkedHashMap<>(text(description));
        property.put(
                "enum",
                sandboxes.stream().map(each -> each.sandbox().alias().value()).toList());
        return property;
    }

    private static Map<String, Object> path() {
        return text("Absolute, or from the home directory.");
    }

    private static Map<String, Object> text(String description) {
        return Map.of("type", "string", "description", description);
    }

    private static Map<String, Object> flag(String description) {
        return Map.of("type", "boolean", "description", description);
    }

    private static Map<String, Object> encoding(String description) {
        var words = Arrays.stream(ExecRequest.Encoding.values())
                .map(ExecRequest.Encoding::toString)
                .toList();
        return Map.of("type", "string", "enum", words, "description", description);
    }

    private static Map<String, Object> number(String description, long least) {
        return Map.of("type", "integer", "minimum", least, "description", description);
    }

    private static Map<String, Object> number(String description, long least, long most) {
        return Map.of("type", "integer", "minimum", least, "maximum", most, "description", description);
    }
}
