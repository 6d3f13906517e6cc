package hermit.command;

import hermit.access.Caller;
import hermit.agent.AgentId;
import hermit.command.ExecView.Slice;
import hermit.exec.Command;
import hermit.exec.ExecId;
import hermit.exec.OutputStreamKind;
import hermit.exec.RunningCommand;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.RateLimited;
import hermit.problem.ProblemCode;
import hermit.sandbox.Alias;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.Sandboxes;
import hermit.world.World;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Runs commands in sandboxes and knows them afterwards. A row is written before the command starts; the end is stored
/// before anybody is told; a command that is accepted is never run twice.
public final class Commands {
    /// For how long a repeated idempotency key means the same command.
    private static final Duration KEYS_LAST = Duration.ofHours(24);
    /// As whom records name the one caller whom no limit of callers holds.
    private static final String ADMIN = new Caller.Admin().recordedAs();

    private final Sandboxes sandboxes;
    private final Machines machines;
    private final ExecStore store;
    private final Watch watch;
    private final ExecLimits limits;
    private final UUID gateway;
    private final World world;

    public Commands(
            Sandboxes sandboxes,
            Machines machines,
            ExecStore store,
            Watch watch,
            ExecLimits limits,
            UUID gateway,
            World world) {
        this.sandboxes = sandboxes;
        this.machines = machines;
        this.store = store;
        this.watch = watch;
        this.limits = limits;
        this.gateway = gateway;
        this.world = world;
    }

    public ExecLimits limits() {
        return limits;
    }

    /// What became of a request: a command that runs here, or one that an earlier request with the same key has started
    /// (and that may have ended).
    public sealed interface Accepted {
        /// `reader`: the one whom this request asked for with `followed`. It was there before the first byte, and the
        /// command waits for it. Where the command was started by an earlier request there is none.
        record Running(LiveExec exec, Optional<LiveExec.Follower> reader) implements Accepted {}

        record Known(ExecRecord record) implements Accepted {}
    }

    /// Brings the sandbox up and starts the command. Returns once the program has been executed; what is thrown means
    /// that it has not run.
    ///
    /// `bodySha256` tells whether a repeated idempotency key comes with the same request. Without a key nobody
    /// reads it.
    public Accepted start(AgentId agent, Alias alias, ExecRequest request, String caller, String bodySha256)
            throws InterruptedException {
        return start(
                sandboxes.forUse(agent, alias),
                new ExecId(world.newId()),
                request,
                caller,
                bodySha256,
                Precondition.NONE);
    }

    /// Like [#start], under an id that was fixed before, and which is never started twice.
    public Accepted start(Sandbox sandbox, ExecId id, ExecRequest request, String caller, Precondition precondition)
            throws InterruptedException {
        return start(sandbox, id, request, caller, "", precondition);
    }

    private Accepted start(
            Sandbox sandbox,
            ExecId id,
            ExecRequest request,
            String caller,
            String bodySha256,
            Precondition precondition)
            throws InterruptedException {
        requireRoom(caller);
        if (watch.countIn(sandbox.id()) >= limits.maxConcurrent())
            throw new RateLimited(
                    "%d commands run in this sandbox already".formatted(limits.maxConcurrent()), Duration.ofSeconds(1));
        var use = machines.use(sandbox, () -> watch.find(id).ifPresent(LiveExec::cancel));
        try {
            var machine = use.ensure();
            precondition.require(machine.generation());
            var record = record(id, sandbox, request, caller, bodySha256, machine.generation(), machine.notes());
            LiveExec exec = watch.announce(record);
            Optional<LiveExec.Follower> reader =
                    request.followed() ? Optional.of(exec.follow(0, 0, true)) : Optional.empty();
            Optional<ExecRecord> earlier = insert(exec);
            if (earlier.isPresent()) {
                use.close();
                return known(earlier.get(), bodySha256);
            }
            watch.start(exec, command(record, request), use, precondition);
            return new Accepted.Running(exec, reader);
        } catch (RuntimeException | InterruptedException e) {
            use.close();
            throw e;
        }
    }

    private void requireRoom(String caller) {
        if (caller.equals(ADMIN) || watch.countOf(caller) < limits.maxPerCaller()) return;
        throw new RateLimited(
                "%d of your commands run already, which is limits.execs_per_caller".formatted(limits.maxPerCaller()),
                Duration.ofSeconds(1));
    }

    /// A command of this sandbox, with its output from these offsets. Waits up to `patience` for its end if it still
    /// runs.
    public ExecView view(AgentId agent, Alias alias, String execId, long fromStdout, long fromStderr, Duration patience)
            throws InterruptedException {
        Sandbox sandbox = sandboxes.get(agent, alias);
        ExecRecord record = find(sandbox, execId);
        Optional<LiveExec> live = watch.find(record.id());
        if (live.isPresent()) live.get().awaitEnd(patience);
        return live.map(exec -> view(exec, fromStdout, fromStderr))
                .orElseGet(() -> stored(find(sandbox, execId), fromStdout, fromStderr));
    }

    /// The whole answer to a command that has ended here.
    public ExecView answer(LiveExec exec) {
        return view(exec, 0, 0);
    }

    /// The whole answer to a command that an earlier request started; waits for its end if it still runs here.
    public ExecView answer(ExecRecord record) throws InterruptedException {
        Optional<LiveExec> live = watch.find(record.id());
        if (live.isPresent()) {
            live.get().awaitEnd();
            return view(live.get(), 0, 0);
        }
        return stored(store.find(record.sandboxId(), record.id()).orElse(record), 0, 0);
    }

    /// A command of a sandbox in any state, as far as it is known.
    public Optional<ExecView> find(SandboxId sandbox, ExecId id) {
        Optional<LiveExec> live = watch.find(id);
        return live.isPresent()
                ? live.map(this::answer)
                : store.find(sandbox, id).map(record -> stored(record, 0, 0));
    }

    /// The command, if this gateway watches it now.
    public Optional<LiveExec> live(AgentId agent, Alias alias, String execId) {
        return watch.find(find(sandboxes.get(agent, alias), execId).id());
    }

    /// The command, if this gateway watches it now, in whichever sandbox it is.
    public Optional<LiveExec> watched(ExecId id) {
        return watch.find(id);
    }

    /// Newest first.
    public Page<ExecRecord> list(AgentId agent, Alias alias, ExecFilter filter, PageRequest page) {
        return store.list(sandboxes.get(agent, alias).id(), filter, page).map(watch::latest);
    }

    /// Cancels it: TERM to its whole tree, KILL after the grace. Does nothing to one that has ended. The wish is kept
    /// first: whichever gateway watches the command, or finds it again after a restart, carries it out.
    public ExecRecord cancel(AgentId agent, Alias alias, String execId) {
        Sandbox sandbox = sandboxes.get(agent, alias);
        ExecRecord before = watch.latest(find(sandbox, execId));
        if (!store.cancel(before.id(), world.now())) return find(sandbox, execId);
        cancelIfWatched(before.id());
        return before;
    }

    /// Cancels a command if this gateway watches it now; otherwise does nothing.
    public void cancelIfWatched(ExecId id) {
        watch.find(id).ifPresent(LiveExec::cancel);
    }

    /// Cancels what is watched here and somebody, perhaps at another gateway, wants to end. Called all the time.
    public void endCancelled() {
        store.cancelled(gateway).forEach(this::cancelIfWatched);
    }

    public void signal(AgentId agent, Alias alias, String execId, int signal) {
        running(agent, alias, execId).signal(signal);
    }

    /// Writes to the stdin of a command that was started with `stdin_open`, and closes it if asked.
    public void stdin(AgentId agent, Alias alias, String execId, byte[] bytes, boolean close) {
        OutputStream stdin = running(agent, alias, execId).stdin();
        try {
            stdin.write(bytes);
            stdin.flush();
            if (close) stdin.close();
        } catch (IOException e) {
            throw new Conflict("Nobody reads the command's stdin any more: " + e.getMessage());
        }
    }

    private RunningCommand running(AgentId agent, Alias alias, String execId) {
        ExecRecord record = find(sandboxes.get(agent, alias), execId);
        Optional<LiveExec> live = watch.find(record.id());
        if (live.isEmpty() && record.outcome().isEmpty()) throw notWatched();
        return live.flatMap(LiveExec::running).orElseThrow(() -> new Conflict("The command has ended"));
    }

    /// After a restart it takes a moment until the sandbox has been asked about every command.
    static Conflict notWatched() {
        return new Conflict(
                ProblemCode.CONFLICT,
                "The command is not watched by this gateway right now; try again",
                Duration.ofSeconds(1));
    }

    private Optional<ExecRecord> insert(LiveExec exec) {
        try {
            Optional<ExecRecord> earlier =
                    store.insert(exec.record(), world.now().minus(KEYS_LAST));
            if (earlier.isPresent()) watch.withdraw(exec);
            return earlier;
        } catch (RuntimeException e) {
            watch.withdraw(exec);
            throw e;
        }
    }

    private Accepted known(ExecRecord earlier, String bodySha256) {
        boolean same = earlier.idempotencyKey()
                .filter(key -> key.bodySha256().equals(bodySha256))
                .isPresent();
        if (!same) throw new Conflict("idempotency_key was used for another request: command " + earlier.id());
        return watch.find(earlier.id())
                .<Accepted>map(exec -> new Accepted.Running(exec, Optional.empty()))
                .orElse(new Accepted.Known(earlier));
    }

    private ExecRecord find(Sandbox sandbox, String execId) {
        return ExecId.parse(execId)
                .flatMap(id -> store.find(sandbox.id(), id))
                .orElseThrow(() -> new NotFound("No such command in sandbox '%s'".formatted(sandbox.alias())));
    }

    private ExecRecord record(
            ExecId id,
            Sandbox sandbox,
            ExecRequest request,
            String caller,
            String bodySha256,
            long generation,
            List<String> notes) {
        String home = sandbox.config().agentHome();
        return new ExecRecord(
                id,
                sandbox.id(),
                gateway,
                caller,
                request.program(),
                request.cwd()
                        .map(cwd -> cwd.startsWith("/") ? cwd : home + "/" + cwd)
                        .orElse(home),
                timeout(request, sandbox),
                request.background(),
                request.terminal(),
                request.maxOutputBytes(),
                request.idempotencyKey().map(key -> new ExecRecord.IdempotencyKey(key, bodySha256)),
                generation,
                world.now(),
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                notes);
    }

    private Optional<Duration> timeout(ExecRequest request, Sandbox sandbox) {
        if (request.timeout().isPresent()) return request.timeout();
        if (request.background()) return Optional.empty();
        return Optional.of(sandbox.config().timeout().orElse(limits.defaultTimeout()));
    }

    private static Command command(ExecRecord record, ExecRequest request) {
        return new Command(
                record.id(),
                record.program(),
                Optional.of(record.cwd()),
                request.env(),
                request.stdin(),
                record.timeout(),
                request.login(),
                record.terminal(),
                record.maxOutputBytes(),
                Command.Pace.HELD);
    }

    private static ExecView view(LiveExec exec, long fromStdout, long fromStderr) {
        ExecRecord record = exec.record();
        return new ExecView(
                record,
                slice(exec, OutputStreamKind.STDOUT, fromStdout, record.maxOutputBytes()),
                slice(exec, OutputStreamKind.STDERR, fromStderr, record.maxOutputBytes()));
    }

    private static Slice slice(LiveExec exec, OutputStreamKind stream, long from, int max) {
        long total = exec.total(stream);
        return exec.read(stream, from, max)
                .map(piece -> Slice.of(piece, total))
                .orElse(Slice.nothing(Math.min(from, total), total));
    }

    private ExecView stored(ExecRecord record, long fromStdout, long fromStderr) {
        StoredOutput output = record.outcome().isPresent() ? store.output(record.id()) : StoredOutput.NONE;
        return new ExecView(
                record,
                slice(output.stdout(), fromStdout, record.stdoutBytes()),
                slice(output.stderr(), fromStderr, record.stderrBytes()));
    }

    private static Slice slice(byte[] kept, long from, long total) {
        if (from >= kept.length) return Slice.nothing(from, total);
        return new Slice(from, Arrays.copyOfRange(kept, (int) from, kept.length), total);
    }

    /// Reads `{data, encoding?, close?}`.
    public static StdinPiece readStdin(Map<String, Object> document) {
        var fields = Fields.of(document);
        var encoding = fields.word("encoding", ExecRequest.Encoding.class).orElse(ExecRequest.Encoding.UTF8);
        var text = fields.text("data").orElse("");
        var bytes = ExecRequest.decode(fields, "data", text, encoding).orElse(new byte[0]);
        boolean close = fields.bool("close").orElse(false);
        fields.finish();
        return new StdinPiece(bytes, close);
    }

    @SuppressWarnings("ArrayRecordComponent")
    public record StdinPiece(byte[] bytes, boolean close) {}

    /// A signal by name (`TERM`, `SIGTERM`) or number.
    public static int signalNumber(Object signal) {
        List<String> names = List.of(
                "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
                "ALRM", "TERM");
        if (signal instanceof Number number && number.intValue() >= 1 && number.intValue() <= 31)
            return number.intValue();
        if (signal instanceof String name) {
            String bare = name.startsWith("SIG") ? name.substring(3) : name;
            if (names.contains(bare)) return names.indexOf(bare) + 1;
            if (bare.equals("CONT")) return 18;
            if (bare.equals("STOP")) return 19;
            if (bare.equals("WINCH")) return 28;
        }
        throw new Invalid("signal", "must be the name of a signal, such as TERM, or a number from 1 to 31");
    }
}
