package hermit.command;

import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.Command.Terminal;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What a caller asks for, checked.
///
/// - `timeout`: as asked; empty means that the row's or the gateway's default applies (none for `background`).
/// - `terminal`: the size of a PTY, for a command that is to have one.
/// - `followed`: whether the caller reads all output as it comes. The command waits for them from its first byte on.
/// - `maxOutputBytes`: how much of each stream's beginning the answer holds.
public record ExecRequest(
        Program program,
        Optional<String> cwd,
        Map<String, String> env,
        Stdin stdin,
        Optional<Duration> timeout,
        int maxOutputBytes,
        Encoding encoding,
        boolean login,
        boolean background,
        Optional<Terminal> terminal,
        boolean cancelOnDisconnect,
        boolean followed,
        Optional<String> idempotencyKey) {

    /// How output travels in JSON: as UTF-8 text with replacement characters for what is none, or as exact bytes.
    public enum Encoding {
        UTF8,
        BASE64;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The longest command text, and the longest argument list in all.
    public static final int MAX_COMMAND_BYTES = 1 << 20;
    /// One argument longer than this cannot be passed by any Linux kernel (MAX_ARG_STRLEN, 32 pages).
    private static final int MAX_ARGUMENT_BYTES = (128 << 10) - 1;
    /// The environment shares the kernel's room with the arguments.
    private static final int MAX_ENV_BYTES = 256 << 10;
    /// Input given with the request; more of it goes through a file or an open stdin.
    public static final int MAX_STDIN_BYTES = 8 << 20;

    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,200}");

    public ExecRequest {
        env = Map.copyOf(env);
    }

    /// Reads a request body; throws with all mistakes. `streamed`: whether the answer is an event stream.
    public static ExecRequest read(Map<String, Object> document, ExecLimits limits, boolean streamed) {
        var fields = Fields.of(document);
        boolean background = fields.bool("background").orElse(false);
        boolean cancel = fields.bool("cancel_on_disconnect").orElse(false);
        if (cancel && !streamed)
            fields.mistake("cancel_on_disconnect", "only a streamed answer can notice that its reader is gone");
        if (background && streamed)
            fields.mistake("background", "a streamed answer is not in the background; read its events later");
        var request = new ExecRequest(
                program(fields),
                cwd(fields),
                env(fields),
                stdin(fields),
                fields.integer("timeout_ms", 1, limits.maxTimeout().toMillis()).map(Duration::ofMillis),
                fields.integer("max_output_bytes", 0, limits.maxOutputBytes())
                        .orElse((long) limits.defaultOutputBytes())
                        .intValue(),
                fields.word("encoding", Encoding.class).orElse(Encoding.UTF8),
                fields.bool("login").orElse(false),
                background,
                Optional.empty(),
                cancel,
                streamed,
                fields.text("idempotency_key", KEY, "1 to 200 printable ASCII characters without spaces"));
        fields.finish();
        return request;
    }

    static Program program(Fields fields) {
        Program standIn = new Program.Shell("");
        boolean hasArgv = fields.has("argv");
        if (fields.has("command") == hasArgv) {
            fields.mistake("command", hasArgv ? "give command or argv, not both" : "is required (or argv)");
            return standIn;
        }
        return hasArgv
                ? argv(fields).map(Program.class::cast).orElse(standIn)
                : shell(fields).orElse(standIn);
    }

    private static Optional<Program> shell(Fields fields) {
        return fields.text("command").flatMap(text -> {
            if (text.isBlank()) {
                fields.mistake("command", "must not be empty");
                return Optional.empty();
            }
            tooLarge("command", bytes(text), MAX_COMMAND_BYTES);
            return Optional.of(new Program.Shell(text));
        });
    }

    private static Optional<Program.Argv> argv(Fields fields) {
        return fields.texts("argv").flatMap(arguments -> {
            if (arguments.isEmpty() || arguments.getFirst().isBlank()) {
                fields.mistake("argv", "must begin with the program's name");
                return Optional.empty();
            }
            for (int i = 0; i < arguments.size(); i++)
                tooLarge("argv[" + i + "]", bytes(arguments.get(i)), MAX_ARGUMENT_BYTES);
            tooLarge("argv", total(arguments), MAX_COMMAND_BYTES);
            return Optional.of(new Program.Argv(arguments));
        });
    }

    static Optional<String> cwd(Fields fields) {
        return fields.text("cwd").filter(path -> {
            boolean fine = !path.isEmpty() && path.length() <= 4_096;
            if (!fine) fields.mistake("cwd", "must be a path of 1 to 4096 characters");
            return fine;
        });
    }

    static Map<String, String> env(Fields fields) {
        var env = fields.textMap("env", ENV_NAME, "not a name for an environment variable")
                .orElse(Map.of());
        long total = 0;
        for (var entry : env.entrySet()) {
            long size = bytes(entry.getKey()) + bytes(entry.getValue()) + 2L;
            tooLarge("env." + entry.getKey(), size, MAX_ARGUMENT_BYTES);
            total += size;
        }
        tooLarge("env", total, MAX_ENV_BYTES);
        return new LinkedHashMap<>(env);
    }

    private static Stdin stdin(Fields fields) {
        boolean open = fields.bool("stdin_open").orElse(false);
        Optional<String> text = fields.text("stdin");
        Encoding encoding = fields.word("stdin_encoding", Encoding.class).orElse(Encoding.UTF8);
        if (open && text.isPresent()) fields.mistake("stdin", "give stdin or stdin_open, not both");
        if (open) return new Stdin.Open();
        if (text.isEmpty()) return new Stdin.Closed();
        return decode(fields, "stdin", text.get(), encoding)
                .<Stdin>map(Stdin.Bytes::new)
                .orElse(new Stdin.Closed());
    }

    /// Bytes that travel as text; a mistake at `key` if they are not what `encoding` says.
    static Optional<byte[]> decode(Fields fields, String key, String text, Encoding encoding) {
        byte[] bytes;
        try {
            bytes = encoding == Encoding.BASE64
                    ? Base64.getDecoder().decode(text)
                    : text.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            fields.mistake(key, "is not base64");
            return Optional.empty();
        }
        tooLarge(key, bytes.length, MAX_STDIN_BYTES);
        return Optional.of(bytes);
    }

    private static void tooLarge(String field, long size, long limit) {
        if (size > limit)
            throw new Refused(
                    ProblemCode.TOO_LARGE, "%s: %d bytes are more than the limit of %d".formatted(field, size, limit));
    }

    private static long total(List<String> texts) {
        long total = 0;
        for (String text : texts) total += bytes(text) + 1L;
        return total;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
