package hermit.backend.cloud;

import hermit.backend.keeper.Bridge;
import hermit.exec.BackendConfig;
import hermit.exec.LiveState.State;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// A provider whose machines are folders of this host, with the real keeper in each.
final class LocalCloud implements CloudClient {
    final AtomicInteger created = new AtomicInteger();
    final AtomicInteger prolonged = new AtomicInteger();
    /// What was asked of machines, in order, e.g. `resume m1`.
    final List<String> asked = new CopyOnWriteArrayList<>();
    /// The next create works, and its answer is lost.
    volatile boolean loseNextCreate;
    /// The next resume gives the machine another id.
    volatile boolean renameAtResume;

    private final Map<String, Box> boxes = new ConcurrentHashMap<>();

    private static final class Box {
        final Path folder;
        final Map<String, String> marks;
        final List<Process> bridges = new CopyOnWriteArrayList<>();
        volatile State state = State.RUNNING;

        Box(Path folder, Map<String, String> marks) {
            this.folder = folder;
            this.marks = marks;
        }
    }

    @Override
    public Optional<CloudMachine> find(String id) {
        return Optional.ofNullable(boxes.get(id)).map(box -> machine(id, box));
    }

    @Override
    public List<CloudMachine> list(Optional<UUID> sandbox) {
        var found = new ArrayList<CloudMachine>();
        boxes.forEach((id, box) -> {
            if (sandbox.isEmpty() || Marks.sandboxOf(box.marks).equals(sandbox)) found.add(machine(id, box));
        });
        return found;
    }

    @Override
    public CloudMachine create(MachineSpec spec, Marks marks, Progress progress) {
        String id = "m" + created.incrementAndGet();
        try {
            boxes.put(id, new Box(Files.createTempDirectory("box"), new LinkedHashMap<>(marks.toMap())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (loseNextCreate) {
            loseNextCreate = false;
            throw new BackendUnavailable("no answer in time");
        }
        return find(id).orElseThrow();
    }

    @Override
    public Optional<CloudMachine> resume(CloudMachine machine, BackendConfig config, Progress progress) {
        asked.add("resume " + machine.id());
        var box = boxes.get(machine.id());
        if (box == null || box.state == State.ERROR) return Optional.empty();
        box.state = State.RUNNING;
        String id = machine.id();
        if (renameAtResume) {
            id = id + "-again";
            boxes.put(id, box);
            boxes.remove(machine.id());
        }
        return Optional.of(machine(id, box));
    }

    @Override
    public void pause(String id) {
        asked.add("pause " + id);
        become(id, State.PAUSED);
    }

    /// As when the provider itself does something with the machine: its streams break.
    void become(String id, State state) {
        var box = boxes.get(id);
        if (box == null) return;
        box.state = state;
        box.bridges.forEach(Process::destroyForcibly);
    }

    @Override
    public void destroy(String id) {
        asked.add("destroy " + id);
        lose(id);
    }

    void lose(String id) {
        become(id, State.ABSENT);
        var box = boxes.remove(id);
        if (box != null) remove(box);
    }

    void killKeeper(String id) {
        keepers(Objects.requireNonNull(boxes.get(id))).forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public void prolong(String id, BackendConfig config) {
        prolonged.incrementAndGet();
    }

    @Override
    public Guest guest(CloudMachine machine, BackendConfig config) {
        return new Inside(Objects.requireNonNull(boxes.get(machine.id())));
    }

    @Override
    public void check() {}

    @Override
    public void close() {
        boxes.values().forEach(LocalCloud::remove);
    }

    private static CloudMachine machine(String id, Box box) {
        return new CloudMachine(id, box.state, "", box.marks, Optional.of(Instant.EPOCH), Map.of());
    }

    private static void remove(Box box) {
        keepers(box).forEach(keeper -> {
            keeper.destroy(); // TERM: it takes its commands along
            keeper.onExit().join();
        });
        try (var files = Files.walk(box.folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The supervisors of commands are children of the keeper, and look alike.
    private static List<ProcessHandle> keepers(Box box) {
        var all = ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").contains(box.folder + "/program"))
                .filter(each -> each.info().commandLine().orElse("").contains(" daemon "))
                .toList();
        return all.stream()
                .filter(each -> each.parent().filter(all::contains).isEmpty())
                .toList();
    }

    private static final class Inside implements Guest {
        private final Box box;

        Inside(Box box) {
            this.box = box;
        }

        @Override
        public Lodging lodging() {
            return new Lodging(box.folder + "/program", box.folder + "/uploads", box.folder + "/s/k.sock", false);
        }

        @Override
        public void upload(String path, byte[] content) throws IOException, MachineGone {
            running();
            Files.write(Path.of(path), content);
            Files.setPosixFilePermissions(Path.of(path), PosixFilePermissions.fromString("rwx------"));
        }

        @Override
        public Ran run(List<String> argv, Duration limit) throws MachineGone, InterruptedException {
            running();
            try {
                var process = new ProcessBuilder(argv).redirectErrorStream(true).start();
                process.getOutputStream().close();
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return new Ran(process.waitFor(), output);
            } catch (IOException e) {
                return new Ran(127, String.valueOf(e.getMessage())); // as a shell says it
            }
        }

        @Override
        public Bridge open(List<String> argv) throws IOException, MachineGone {
            running();
            var process = new ProcessBuilder(argv)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            box.bridges.add(process);
            return new Bridge() {
                @Override
                public InputStream in() {
                    return process.getInputStream();
                }

                @Override
                public OutputStream out() {
                    return process.getOutputStream();
                }

                @Override
                public void close() {
                    process.destroyForcibly();
                }
            };
        }

        private void running() throws MachineGone {
            if (box.state != State.RUNNING) throw new MachineGone("the machine is " + box.state);
        }
    }
}
