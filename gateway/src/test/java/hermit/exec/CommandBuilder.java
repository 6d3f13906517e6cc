package hermit.exec;

import hermit.exec.Command.Pace;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.Command.Terminal;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Commands as tests write them: everything has a default.
public record CommandBuilder(
        ExecId id,
        Program program,
        Optional<String> cwd,
        Map<String, String> env,
        Stdin stdin,
        Optional<Duration> timeout,
        Optional<Terminal> terminal) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int KEEP = 256 << 10;

    public static CommandBuilder sh(String text) {
        return of(new Program.Shell(text));
    }

    public static CommandBuilder argv(String... arguments) {
        return of(new Program.Argv(List.of(arguments)));
    }

    private static CommandBuilder of(Program program) {
        return new CommandBuilder(
                new ExecId(Uuids.timeOrdered(Instant.now(), RANDOM)),
                program,
                Optional.empty(),
                Map.of(),
                new Stdin.Closed(),
                Optional.of(Duration.ofSeconds(60)),
                Optional.empty());
    }

    public CommandBuilder cwd(String path) {
        return new CommandBuilder(id, program, Optional.of(path), env, stdin, timeout, terminal);
    }

    public CommandBuilder env(String name, String value) {
        return new CommandBuilder(id, program, cwd, Map.of(name, value), stdin, timeout, terminal);
    }

    public CommandBuilder stdin(String text) {
        return stdin(new Stdin.Bytes(text.getBytes(StandardCharsets.UTF_8)));
    }

    public CommandBuilder stdin(Stdin given) {
        return new CommandBuilder(id, program, cwd, env, given, timeout, terminal);
    }

    public CommandBuilder timeout(Duration given) {
        return new CommandBuilder(id, program, cwd, env, stdin, Optional.of(given), terminal);
    }

    public CommandBuilder terminal(int cols, int rows) {
        return new CommandBuilder(id, program, cwd, env, stdin, timeout, Optional.of(new Terminal(cols, rows)));
    }

    public Command build() {
        return new Command(id, program, cwd, env, stdin, timeout, false, terminal, KEEP, Pace.HELD);
    }
}
