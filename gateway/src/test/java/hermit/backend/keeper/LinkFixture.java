package hermit.backend.keeper;

import hermit.exec.Command;
import hermit.exec.Command.Pace;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.Command.Terminal;
import hermit.exec.ExecId;
import hermit.exec.OutputSink;
import hermit.exec.RunningCommand;
import hermit.exec.Uuids;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A link to a scripted keeper, with time that stands still.
final class LinkFixture implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Random RANDOM = new Random(7);

    final FakeKeeper keeper = new FakeKeeper();
    final ManualScheduler scheduler = new ManualScheduler();
    final KeeperLink link;

    LinkFixture() {
        this(new LinkSettings("root", "/root", Map.of(), Map.of(), LinkSettings.KEEPER));
    }

    LinkFixture(LinkSettings settings) {
        link = new KeeperLink(keeper::open, settings, scheduler, RANDOM);
    }

    /// A start or attach that is under way.
    record Starting(CompletableFuture<Optional<RunningCommand>> found) {
        RunningCommand get() throws Exception {
            return result().orElseThrow();
        }

        Optional<RunningCommand> result() throws Exception {
            try {
                return found.get(10, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception cause) throw cause;
                throw e;
            } catch (TimeoutException e) {
                throw new AssertionError("start did not return", e);
            }
        }
    }

    Starting start(Command command, OutputSink sink) {
        return run(() -> Optional.of(link.start(command, sink)));
    }

    Starting attach(ExecId id, long stdout, long stderr, OutputSink sink) {
        return run(() -> link.attach(id, stdout, stderr, sink));
    }

    private static Starting run(Callable<Optional<RunningCommand>> task) {
        var result = new CompletableFuture<Optional<RunningCommand>>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(task.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return new Starting(result);
    }

    /// Returns once the gateway has taken in all that was sent on this bridge so far.
    static void settle(KeeperEnd end) throws InterruptedException {
        end.send(FrameType.PING, 0, new byte[1]);
        end.expect(FrameType.PONG);
    }

    static Command shell(String text) {
        return command(new Program.Shell(text), Map.of());
    }

    static Command command(Program program, Map<String, String> env) {
        var id = new ExecId(Uuids.timeOrdered(Instant.parse("2026-01-01T00:00:00Z"), RANDOM));
        return new Command(
                id,
                program,
                Optional.empty(),
                env,
                new Stdin.Closed(),
                Optional.of(TIMEOUT),
                false,
                Optional.empty(),
                1_000,
                Pace.HELD);
    }

    static Command stdin(Command of, Stdin stdin) {
        return new Command(
                of.id(),
                of.program(),
                of.cwd(),
                of.env(),
                stdin,
                of.timeout(),
                of.login(),
                of.terminal(),
                of.keep(),
                of.pace());
    }

    static Command terminal(Command of, Terminal size) {
        return new Command(
                of.id(),
                of.program(),
                of.cwd(),
                of.env(),
                new Stdin.Open(),
                of.timeout(),
                of.login(),
                Optional.of(size),
                of.keep(),
                of.pace());
    }

    static Command withoutDeadline(Command of) {
        return new Command(
                of.id(),
                of.program(),
                of.cwd(),
                of.env(),
                of.stdin(),
                Optional.empty(),
                of.login(),
                of.terminal(),
                of.keep(),
                of.pace());
    }

    static Command login(Command of) {
        return new Command(
                of.id(),
                of.program(),
                of.cwd(),
                of.env(),
                of.stdin(),
                of.timeout(),
                true,
                of.terminal(),
                of.keep(),
                of.pace());
    }

    @Override
    public void close() {
        link.close();
        keeper.close();
    }
}
