package hermit.exec;

import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/// Machines that exist in memory only. A command's text is its script: `echo TEXT`, `err TEXT`, `bytes HEX` (each by
/// itself), `exit N`, `hang`, `cwd`, `tty` (hangs, and prints what it reads), `flood N` (see [#flood]); several are
/// joined by `; `. A program that has a terminal is `tty`. Switches let a test take machines away, make the provider
/// unreachable, or hold an ensure until told to go on.
public final class FakeProvider implements BackendProvider {
    public final AtomicInteger ensures = new AtomicInteger();
    public final AtomicInteger created = new AtomicInteger();
    public final AtomicInteger shutdowns = new AtomicInteger();
    public final AtomicInteger destroyed = new AtomicInteger();
    public final List<ExecId> started = new ArrayList<>();
    public volatile Set<Capability> capabilities = EnumSet.allOf(Capability.class);
    public volatile boolean down;
    /// Whether its machines answer nobody who looks for a command.
    public volatile boolean forgetful;
    public volatile CountDownLatch gate = new CountDownLatch(0);

    private final BackendType type;
    private final Map<UUID, LiveState.State> machines = new ConcurrentHashMap<>();
    private final Map<UUID, Map<ExecId, FakeCommand>> commands = new ConcurrentHashMap<>();
    private final Map<UUID, FakeFiles> files = new ConcurrentHashMap<>();
    private final Map<UUID, String> names = new ConcurrentHashMap<>();

    public FakeProvider(BackendType type) {
        this.type = type;
    }

    /// The machine vanishes under the gateway's feet.
    public void lose(UUID sandboxId) {
        machines.remove(sandboxId);
        commands.remove(sandboxId);
        files.remove(sandboxId);
    }

    /// The provider freezes the machine: its commands are lost to the gateway, and come back with it.
    public void freeze(UUID sandboxId) {
        machines.replace(sandboxId, LiveState.State.STOPPED);
        commands.getOrDefault(sandboxId, Map.of()).replaceAll((_, command) -> {
            if (command.isOver()) return command;
            command.end(new Exit.SandboxLost("the fake machine was frozen"));
            return new FakeCommand(command.sink);
        });
    }

    /// A machine that was made for a row without anybody noting it there.
    public void addUnknown(UUID sandboxId, String name) {
        names.put(sandboxId, name);
        machines.put(sandboxId, LiveState.State.RUNNING);
    }

    /// Whether nothing runs there.
    public boolean isQuiet(UUID sandboxId) {
        return commands.getOrDefault(sandboxId, Map.of()).values().stream().allMatch(FakeCommand::isOver);
    }

    /// The machine is there, and knows nothing of the command.
    public void forget(UUID sandboxId, ExecId id) {
        commands.getOrDefault(sandboxId, new HashMap<>()).remove(id);
    }

    public Optional<LiveState.State> state(UUID sandboxId) {
        return Optional.ofNullable(machines.get(sandboxId));
    }

    /// What `flood N` prints: N bytes, of which no two places look alike. A command that begins with it has printed all
    /// of it when it has been started, unless it is made to wait for whoever reads.
    public static String flood(int bytes) {
        var text = new StringBuilder(bytes + 16);
        while (text.length() < bytes)
            text.append("line at ").append(text.length()).append('\n');
        return text.substring(0, bytes);
    }

    /// Ends a command that hangs.
    public void finish(UUID sandboxId, ExecId id, Exit exit) {
        command(sandboxId, id).end(exit);
    }

    @Override
    public BackendType type() {
        return type;
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public ExecBackend open(MachineSpec spec) {
        return new FakeBackend(spec);
    }

    @Override
    public Map<UUID, LiveState> observeAll() {
        reachable();
        var all = new HashMap<UUID, LiveState>();
        machines.forEach((id, state) -> all.put(id, new LiveState(state, "", Instant.EPOCH)));
        return all;
    }

    @Override
    public Health health() {
        return down ? new Health(false, "the fake is down") : new Health(true, "fake");
    }

    @Override
    public List<FoundMachine> machines() {
        reachable();
        var all = new ArrayList<FoundMachine>();
        machines.forEach((id, state) ->
                all.add(new FoundMachine(names.getOrDefault(id, ""), Optional.of(id), state, "", Optional.empty())));
        return all;
    }

    @Override
    public void destroy(FoundMachine machine) {
        reachable();
        if (machines.remove(machine.sandbox().orElseThrow()) != null) destroyed.incrementAndGet();
    }

    @Override
    public void sweep(Set<UUID> liveSandboxes, Set<UUID> liveAgents) {
        reachable();
    }

    @Override
    public void agentDeleted(UUID agentUid) {
        reachable();
    }

    @Override
    public void close() {}

    private void reachable() {
        if (down) throw new BackendUnavailable("the fake is down");
    }

    private interface Printing {
        void print() throws InterruptedException;
    }

    private final class FakeBackend implements ExecBackend {
        private final MachineSpec spec;
        private long generation;
        private boolean known;

        FakeBackend(MachineSpec spec) {
            this.spec = spec;
            this.generation = spec.generation();
            this.known = spec.externalId().isPresent();
        }

        @Override
        public Machine ensure(Progress progress) throws InterruptedException {
            reachable();
            ensures.incrementAndGet();
            progress.report("starting the fake");
            gate.await();
            var notes = new ArrayList<String>();
            if (machines.put(spec.sandboxId(), LiveState.State.RUNNING) == null) {
                created.incrementAndGet();
                generation++;
                if (known) notes.add("the sandbox had to be created anew");
            }
            known = true;
            names.put(spec.sandboxId(), "fake-" + spec.alias());
            return new Machine("fake-" + spec.alias(), generation, notes);
        }

        @Override
        public boolean isReady() {
            return machines.get(spec.sandboxId()) == LiveState.State.RUNNING;
        }

        @Override
        public RunningCommand start(Command command, OutputSink sink) throws InterruptedException, MachineGone {
            reachable();
            if (!isReady()) throw new MachineGone("the fake machine is not running");
            if (command.cwd().filter(cwd -> cwd.contains("missing")).isPresent())
                throw Invalid.cwdNotFound(command.cwd().get());
            synchronized (started) {
                started.add(command.id());
            }
            var fake = new FakeCommand(sink);
            command.terminal().ifPresent(fake.told::add);
            commands.computeIfAbsent(spec.sandboxId(), _ -> new ConcurrentHashMap<>())
                    .put(command.id(), fake);
            play(command, fake);
            return fake;
        }

        /// What it prints comes while it runs, as from a real machine.
        private void play(Command command, FakeCommand fake) throws InterruptedException {
            if (command.program() instanceof Command.Program.Argv(List<String> words)
                    && words.getFirst().equals(keeperPath())) {
                var tree = files.computeIfAbsent(spec.sandboxId(), _ -> new FakeFiles());
                Thread.ofVirtual().start(() -> {
                    try {
                        tree.run(words.subList(2, words.size()), fake);
                    } catch (InterruptedException e) {
                        fake.end(new Exit.Cancelled(false));
                    }
                });
                return;
            }
            String script = command.program() instanceof Command.Program.Shell(String text) ? text : "exit 0";
            if (script.startsWith("flood ")) fast(() -> fake.play(script));
            else fake.play(command.terminal().isPresent() ? "tty" : script);
        }

        /// Returns when all has been printed that is printed without waiting for anybody.
        private static void fast(Printing printing) {
            Thread thread = Thread.ofVirtual().start(() -> {
                try {
                    printing.print();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) Thread.onSpinWait();
        }

        @Override
        public String keeperPath() {
            return "/fake/keeper";
        }

        @Override
        public Optional<RunningCommand> attach(ExecId id, long stdoutOffset, long stderrOffset, OutputSink sink)
                throws MachineGone {
            if (!isReady()) throw new MachineGone("the fake machine is not running");
            if (forgetful) throw new ProviderError("the fake machine does not say");
            return Optional.ofNullable(
                    commands.getOrDefault(spec.sandboxId(), Map.of()).get(id));
        }

        @Override
        public void forget(ExecId id) {}

        @Override
        public void shutdown() {
            reachable();
            shutdowns.incrementAndGet();
            machines.replace(spec.sandboxId(), LiveState.State.STOPPED);
        }

        @Override
        public void destroy() {
            reachable();
            destroyed.incrementAndGet();
            lose(spec.sandboxId());
        }

        @Override
        public LiveState observe() {
            reachable();
            return new LiveState(machines.getOrDefault(spec.sandboxId(), LiveState.State.ABSENT), "", Instant.EPOCH);
        }

        @Override
        public void close() {}
    }

    /// The sizes that a command's terminal has had, and the signals that it was sent.
    public List<Object> told(UUID sandboxId, ExecId id) {
        return List.copyOf(command(sandboxId, id).told);
    }

    /// Output of a command that hangs.
    public void print(UUID sandboxId, ExecId id, byte[] bytes) throws InterruptedException {
        command(sandboxId, id).print(bytes);
    }

    private FakeCommand command(UUID sandboxId, ExecId id) {
        return Optional.ofNullable(commands.getOrDefault(sandboxId, Map.of()).get(id))
                .orElseThrow();
    }

    static final class FakeCommand implements RunningCommand {
        /// What is done with the whole of its stdin.
        interface WhenStdinEnds {
            void take(byte[] bytes) throws InterruptedException;
        }

        private final OutputSink sink;
        private final CompletableFuture<Exit.End> end = new CompletableFuture<>();
        private final CompletableFuture<WhenStdinEnds> whenStdinEnds = new CompletableFuture<>();
        private final List<Object> told = new CopyOnWriteArrayList<>();
        private final ByteArrayOutputStream collected = new ByteArrayOutputStream() {
            @Override
            public void close() {
                var _ = whenStdinEnds.thenAcceptAsync(FakeCommand.this::endOfStdin, Thread::startVirtualThread);
            }
        };
        private OutputStream stdin = collected;
        private long stdout;
        private long stderr;

        FakeCommand(OutputSink sink) {
            this.sink = sink;
        }

        void whenStdinEnds(WhenStdinEnds action) {
            whenStdinEnds.complete(action);
        }

        synchronized void print(byte[] bytes) throws InterruptedException {
            stdout = print(sink, OutputStreamKind.STDOUT, stdout, bytes);
        }

        void complain(String text) throws InterruptedException {
            stderr = print(sink, OutputStreamKind.STDERR, stderr, text);
        }

        boolean isOver() {
            return end.isDone();
        }

        private void endOfStdin(WhenStdinEnds action) {
            try {
                action.take(collected.toByteArray());
            } catch (InterruptedException e) {
                end(new Exit.Cancelled(false));
            }
        }

        void play(String script) throws InterruptedException {
            for (String line : script.split("; ", -1)) {
                if (line.startsWith("echo "))
                    stdout = print(sink, OutputStreamKind.STDOUT, stdout, line.substring(5) + "\n");
                else if (line.startsWith("err "))
                    stderr = print(sink, OutputStreamKind.STDERR, stderr, line.substring(4) + "\n");
                else if (line.startsWith("flood "))
                    print(flood(Integer.parseInt(line.substring(6))).getBytes(StandardCharsets.US_ASCII));
                else if (line.startsWith("bytes "))
                    for (byte each : HexFormat.of().parseHex(line.substring(6)))
                        stdout = print(sink, OutputStreamKind.STDOUT, stdout, new byte[] {each});
                else if (line.startsWith("exit ")) end(new Exit.Exited(Integer.parseInt(line.substring(5))));
                else if (line.equals("tty")) {
                    stdin = new Echo();
                    return;
                } else if (line.equals("hang")) return;
            }
            end(new Exit.Exited(0));
        }

        private static long print(OutputSink sink, OutputStreamKind stream, long offset, String text)
                throws InterruptedException {
            return print(sink, stream, offset, text.getBytes(StandardCharsets.UTF_8));
        }

        private static long print(OutputSink sink, OutputStreamKind stream, long offset, byte[] bytes)
                throws InterruptedException {
            sink.output(stream, offset, ByteBuffer.wrap(bytes));
            return offset + bytes.length;
        }

        void end(Exit exit) {
            end.complete(new Exit.End(exit, stdout, stderr, Duration.ofMillis(5), 0));
        }

        @Override
        public Exit.End await() throws InterruptedException {
            try {
                return end.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void cancel() {
            end(new Exit.Cancelled(false));
        }

        @Override
        public void signal(int signal) {
            told.add(signal);
            if (stdin instanceof Echo) return; // a shell at a terminal survives most signals
            end(new Exit.Signaled(signal));
        }

        @Override
        public OutputStream stdin() {
            return stdin;
        }

        @Override
        public void resize(Command.Terminal size) {
            told.add(size);
        }

        @Override
        public void detach() {}

        /// What is written to it is printed; a line `exit N` ends it.
        private final class Echo extends OutputStream {
            @Override
            public void write(int each) throws IOException {
                write(new byte[] {(byte) each}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                try {
                    print(Arrays.copyOfRange(bytes, from, from + length));
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
                String text = new String(bytes, from, length, StandardCharsets.UTF_8);
                if (text.startsWith("exit "))
                    end(new Exit.Exited(Integer.parseInt(text.substring(5).strip())));
            }
        }
    }
}
