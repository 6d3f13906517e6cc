package hermit.fake;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// One machine of a fake provider: a container whose first process does nothing. Frozen, it is a machine that was
/// paused with its memory; stopped, one whose processes are gone and whose files are kept. It has no network.
public final class Box implements AutoCloseable {
    /// On every container that a fake makes, so that what a dead one left behind can be found.
    public static final String LABEL = "hermit-fake";

    private final String id;
    /// Held shared while a program is being started, and alone to freeze: an engine that freezes a container in which
    /// it is starting a program waits for that program for ever, and so does whoever then removes the container.
    private final ReadWriteLock starting = new ReentrantReadWriteLock();
    /// Asked once for each user: an answer costs as much as a command.
    private final Map<String, String> homes = new ConcurrentHashMap<>();

    private Box(String id) {
        this.id = id;
    }

    /// How a machine begins.
    ///
    /// - `image`: of the local engine; nothing is pulled.
    /// - `user`: made with a home of its own if the image does not have it; `root` needs nothing.
    /// - `memory`: what the machine may use, in bytes.
    public record Spec(String image, String label, String user, Map<String, String> env, OptionalLong memory) {
        public Spec {
            env = Map.copyOf(env);
        }

        public Spec(String image, String label, String user, Map<String, String> env) {
            this(image, label, user, env, OptionalLong.empty());
        }
    }

    /// One program in the machine.
    ///
    /// - `cwd`: absolute; empty means the user's home.
    public record Run(String user, Optional<String> cwd, Map<String, String> env, List<String> argv) {
        public Run {
            env = Map.copyOf(env);
            argv = List.copyOf(argv);
        }
    }

    public static Box start(Spec spec) throws InterruptedException {
        var command = Docker.command(
                "create", "--init", "--pull", "never", "--network", "none", "--label", LABEL + "=" + spec.label);
        spec.env.forEach((name, value) -> command.addAll(List.of("-e", name + "=" + value)));
        // Without swap, so that too much memory ends a program rather than slowing it down.
        spec.memory.ifPresent(bytes -> command.addAll(List.of("--memory", bytes + "b", "--memory-swap", bytes + "b")));
        command.addAll(List.of(spec.image, "sleep", "infinity"));
        var box = new Box(Docker.call(command));
        try {
            box.begin(spec.user);
        } catch (InterruptedException | RuntimeException e) {
            box.close();
            throw e;
        }
        return box;
    }

    private void begin(String user) throws InterruptedException {
        start();
        if (!user.equals("root")) exec(id, "sh", "-c", "id \"$1\" || useradd -m -s /bin/bash \"$1\"", "sh", user);
    }

    /// Starts a program; returns once it has its process id.
    public BoxProcess run(Run run) throws InterruptedException {
        // The program takes the place of the shell, which says its own process id first.
        var script = new StringBuilder("echo $$ >&2; ");
        script.append(run.cwd.isPresent() ? "cd \"$1\" || exit 126; " : "cd ~ 2>/dev/null || cd /; ");
        script.append("shift; exec \"$@\"");
        var command = new ArrayList<>(Docker.command("exec", "-i", "-u", run.user));
        command.addAll(List.of("-e", "HOME=" + home(run.user)));
        run.env.forEach((name, value) -> command.addAll(List.of("-e", name + "=" + value)));
        command.addAll(List.of(id, "sh", "-c", script.toString(), "sh", run.cwd.orElse("")));
        command.addAll(run.argv);
        starting.readLock().lockInterruptibly();
        try {
            return BoxProcess.follow(this, new ProcessBuilder(command).start());
        } catch (IOException e) {
            throw new FakeFailure("run docker: " + e.getMessage(), e);
        } finally {
            starting.readLock().unlock();
        }
    }

    /// Starts a program in a terminal of its own, whose `name` is a plain word that no other one of the machine has.
    public BoxTerminal terminal(String name, Run run, int cols, int rows) throws InterruptedException {
        return BoxTerminal.open(this, name, run, cols, rows);
    }

    /// What a short shell command printed; throws [FakeFailure] if it fails.
    public String shell(String user, String command) throws InterruptedException {
        return exec("-u", user, id, "sh", "-c", command);
    }

    private String exec(String... words) throws InterruptedException {
        starting.readLock().lockInterruptibly();
        try {
            var command = Docker.command("exec");
            command.addAll(List.of(words));
            return Docker.call(command);
        } finally {
            starting.readLock().unlock();
        }
    }

    /// The home that the machine's own table of users names.
    public String home(String user) throws InterruptedException {
        String known = homes.get(user);
        if (known != null) return known;
        String home = exec(id, "sh", "-c", "getent passwd \"$1\" | cut -d: -f6", "sh", user);
        if (!home.isEmpty()) homes.put(user, home);
        return home;
    }

    /// Freezes everything, memory kept.
    public void pause() throws InterruptedException {
        starting.writeLock().lockInterruptibly();
        try {
            Docker.call(Docker.command("pause", id));
        } finally {
            starting.writeLock().unlock();
        }
    }

    public void unpause() throws InterruptedException {
        Docker.call(Docker.command("unpause", id));
    }

    /// Ends all processes; files stay.
    public void stop() throws InterruptedException {
        Docker.call(Docker.command("stop", "-t", "0", id));
    }

    public void start() throws InterruptedException {
        Docker.call(Docker.command("start", id));
    }

    /// The machine and its files are gone.
    public void remove() throws InterruptedException {
        Docker.call(Docker.command("rm", "-f", "-v", id));
    }

    @Override
    public void close() {
        try {
            remove();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    String id() {
        return id;
    }
}
