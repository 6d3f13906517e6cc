package hermit.backend.keeper;

import hermit.exec.Command.Terminal;
import hermit.exec.ExecBackend;
import hermit.exec.ExecId;
import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All that the keeper needs to start a command, within the limits of the protocol and the kernel.
///
/// - `env`: the whole environment.
/// - `input`: what becomes of its stdin.
/// - `held`: output waits for this follower rather than being dropped for it.
/// - `keep`: bytes of each stream's beginning that the keeper is to hold.
/// - `disk`: empty where the sandbox has no such limit.
record StartRequest(
        ExecId id,
        List<String> argv,
        Map<String, String> env,
        String cwd,
        String user,
        Optional<Duration> timeout,
        Optional<Terminal> terminal,
        Input input,
        boolean held,
        int keep,
        Optional<DiskLimit> disk) {
    /// What the keeper takes of one request.
    private static final int MOST_BYTES = 4 << 20;
    /// MAX_ARG_STRLEN of Linux, 32 pages, without the NUL at the end.
    private static final int LONGEST_TEXT = (128 << 10) - 1;

    private static final int MOST_KEPT = 1 << 20;
    private static final int STDIN_OPEN = 1;
    private static final int PTY = 2;
    static final int HOLD = 4;
    private static final int STDIN_BOUND = 8;
    static final int NEW_FILES = 16;

    enum Input {
        /// Empty and closed.
        CLOSED,
        /// Open for whoever comes.
        OPEN,
        /// From this channel alone: half of it is no input, so the command ends if the channel does before its end.
        BOUND;

        private int flags() {
            return switch (this) {
                case CLOSED -> 0;
                case OPEN -> STDIN_OPEN;
                case BOUND -> STDIN_OPEN | STDIN_BOUND;
            };
        }
    }

    StartRequest {
        argv = List.copyOf(argv);
        env = Map.copyOf(env);
        keep = Math.clamp(keep, 0, MOST_KEPT);
        for (int i = 0; i < argv.size(); i++) check("argv[%d]".formatted(i), argv.get(i));
        env.forEach((name, value) -> check("env." + name, name + "=" + value));
        check("cwd", cwd);
        check("user", user);
    }

    /// The fields of START. `window`: how many bytes of output may come before the first CREDIT.
    byte[] fields(int window) {
        var fields = new FieldsWriter().id(1, id.value());
        argv.forEach(each -> fields.text(2, each));
        env.forEach((name, value) -> fields.text(3, name + "=" + value));
        fields.text(4, cwd).text(5, user);
        fields.number(6, timeout.map(StartRequest::millis).orElse(0L));
        fields.number(7, ExecBackend.KILL_GRACE.toMillis());
        fields.number(8, flags());
        terminal.ifPresent(size -> fields.number(9, size.cols()).number(10, size.rows()));
        fields.number(11, keep).number(12, window);
        disk.ifPresent(wall -> fields.number(13, wall.limit().bytes()).text(14, wall.path()));
        byte[] bytes = fields.bytes();
        if (bytes.length > MOST_BYTES)
            throw new GatewayException.Refused(
                    ProblemCode.TOO_LARGE,
                    "the command with its environment has %d bytes, more than the %d that can be started"
                            .formatted(bytes.length, MOST_BYTES));
        return bytes;
    }

    private int flags() {
        boolean newFiles = disk.filter(DiskLimit::newFiles).isPresent();
        return input.flags() | (terminal.isPresent() ? PTY : 0) | (held ? HOLD : 0) | (newFiles ? NEW_FILES : 0);
    }

    /// Zero would mean that there is no deadline.
    private static long millis(Duration timeout) {
        return Math.max(1, timeout.plusNanos(999_999).toMillis());
    }

    private static void check(String path, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) throw new GatewayException.Invalid(path, "must not contain NUL");
            if (!Character.isSurrogate(c)) continue;
            if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(++i)))
                throw new GatewayException.Invalid(path, "is not valid Unicode: half of a surrogate pair");
        }
        // Three bytes are the most that one char can become.
        if (text.length() > LONGEST_TEXT / 3 && text.getBytes(StandardCharsets.UTF_8).length > LONGEST_TEXT)
            throw new GatewayException.Refused(
                    ProblemCode.TOO_LARGE,
                    "%s is longer than the %d bytes that the kernel takes".formatted(path, LONGEST_TEXT));
    }
}
