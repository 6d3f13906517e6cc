package hermit.command;

import hermit.agent.AgentId;
import hermit.exec.Command;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.ExecId;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.Sandboxes;
import hermit.world.World;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Files in sandboxes. Each operation runs inside, as the row's user, through the keeper: so no path, link or race
/// can reach a file of
/// the host. Any size passes through in pieces, held back to the pace of the slower side.
public final class Files {
    private static final Duration SMALL = Duration.ofMinutes(1);
    private static final int MOST_ENTRIES = 10_000;
    private static final int LONGEST_LIST = 16 << 20;
    private static final int LONGEST_REPORT = 1 << 20;
    /// Expanded size and entries of an archive that is taken apart in a sandbox.
    private static final long MOST_UNPACKED = 8L << 30;

    private static final int MOST_UNPACKED_ENTRIES = 200_000;

    private final Sandboxes sandboxes;
    private final Machines machines;
    private final World world;

    public Files(Sandboxes sandboxes, Machines machines, World world) {
        this.sandboxes = sandboxes;
        this.machines = machines;
        this.world = world;
    }

    /// The file itself; a link is described, not followed.
    public FileInfo stat(AgentId agent, Alias alias, String path) throws InterruptedException {
        Sandbox row = sandboxes.forUse(agent, alias);
        return record(small(row, path, "stat", absolute(row, path)));
    }

    /// The entries of a directory by name, and whether there are more than can be shown.
    public Listing list(AgentId agent, Alias alias, String path) throws InterruptedException {
        Sandbox row = sandboxes.forUse(agent, alias);
        try (var run = start(
                row,
                path,
                Optional.of(SMALL),
                new Stdin.Closed(),
                "list",
                absolute(row, path),
                Integer.toString(MOST_ENTRIES))) {
            var entries = new ArrayList<FileInfo>();
            boolean cut = false;
            for (String each : records(run.takeAll(LONGEST_LIST))) {
                if (each.equals(".")) cut = true;
                else entries.add(FileInfo.parse(each));
            }
            entries.sort((a, b) -> a.name().compareTo(b.name()));
            return new Listing(List.copyOf(entries), cut);
        }
    }

    public record Listing(List<FileInfo> entries, boolean truncated) {}

    /// `length` of the file's bytes from `offset`, or all to its end. The caller closes it.
    public FileDownload.File read(AgentId agent, Alias alias, String path, long offset, OptionalLong length)
            throws InterruptedException {
        Sandbox row = sandboxes.forUse(agent, alias);
        String count = length.isPresent() ? Long.toString(length.getAsLong()) : "-";
        var run = start(
                row,
                path,
                Optional.empty(),
                new Stdin.Closed(),
                "read",
                absolute(row, path),
                Long.toString(offset),
                count);
        try {
            return FileDownload.file(run);
        } catch (RuntimeException | InterruptedException e) {
            run.close();
            throw e;
        }
    }

    /// Puts what `content` holds in place of the file, whole or not at all. With `length`, exactly so many bytes must
    /// come.
    public FileInfo write(AgentId agent, Alias alias, String path, InputStream content, OptionalLong length)
            throws InterruptedException, IOException {
        Sandbox row = sandboxes.forUse(agent, alias);
        String count = length.isPresent() ? Long.toString(length.getAsLong()) : "-";
        try (var run = start(row, path, Optional.empty(), new Stdin.Open(), "write", absolute(row, path), count, "-")) {
            feed(run, content);
            return record(run.takeAll(LONGEST_REPORT));
        }
    }

    public FileInfo mkdir(AgentId agent, Alias alias, String path) throws InterruptedException {
        Sandbox row = sandboxes.forUse(agent, alias);
        String absolute = absolute(row, path);
        small(row, path, "mkdir", absolute);
        return record(small(row, path, "stat", absolute));
    }

    public void move(AgentId agent, Alias alias, String from, String to) throws InterruptedException {
        Sandbox row = sandboxes.forUse(agent, alias);
        small(row, from, "move", FilePaths.absolute(from, home(row), "from"), FilePaths.absolute(to, home(row), "to"));
    }

    /// Never follows links. A directory that is not empty needs `recursive`.
    public void delete(AgentId agent, Alias alias, String path, boolean recursive) throws InterruptedException {
        Sandbox row = sandboxes.forUse(agent, alias);
        String absolute = absolute(row, path);
        if (absolute.equals(home(row)) || absolute.equals("/"))
            throw new Invalid("path", "the agent home itself cannot be deleted");
        small(row, path, "delete", absolute, recursive ? "1" : "0");
    }

    /// A tar stream of a file or directory. The caller closes it.
    public FileDownload pack(AgentId agent, Alias alias, String path) throws InterruptedException {
        Sandbox row = sandboxes.forUse(agent, alias);
        var run = start(row, path, Optional.empty(), new Stdin.Closed(), "pack", absolute(row, path));
        try {
            return FileDownload.of(run);
        } catch (RuntimeException | InterruptedException e) {
            run.close();
            throw e;
        }
    }

    /// Takes a tar stream apart into a directory; what was refused is listed, the rest is there.
    public List<RefusedEntry> unpack(AgentId agent, Alias alias, String path, InputStream archive)
            throws InterruptedException, IOException {
        Sandbox row = sandboxes.forUse(agent, alias);
        try (var run = start(
                row,
                path,
                Optional.empty(),
                new Stdin.Open(),
                "unpack",
                absolute(row, path),
                Long.toString(MOST_UNPACKED),
                Integer.toString(MOST_UNPACKED_ENTRIES))) {
            feed(run, archive);
            return records(run.takeAll(LONGEST_LIST)).stream()
                    .map(RefusedEntry::parse)
                    .toList();
        }
    }

    /// An entry of an archive that was not put in place, and why.
    public record RefusedEntry(String name, String reason) {
        static RefusedEntry parse(String record) {
            String[] parts = record.split("\t", -1);
            return parts.length == 3
                    ? new RefusedEntry(FileInfo.unescape(parts[2]), parts[1])
                    : new RefusedEntry("", "unknown");
        }
    }

    private byte[] small(Sandbox row, String path, String... operation) throws InterruptedException {
        try (var run = start(row, path, Optional.of(SMALL), new Stdin.Closed(), operation)) {
            return run.takeAll(LONGEST_REPORT);
        }
    }

    private FileRun start(Sandbox row, String path, Optional<Duration> timeout, Stdin stdin, String... operation)
            throws InterruptedException {
        var run = new FileRun(path);
        var use = machines.use(row, run::close);
        try {
            RunningCommand running = use.call((backend, machine) -> {
                var argv = new ArrayList<>(List.of(backend.keeperPath(), "fs"));
                argv.addAll(List.of(operation));
                var command = new Command(
                        new ExecId(world.newId()),
                        new Program.Argv(argv),
                        Optional.of("/"),
                        Map.of(),
                        stdin,
                        timeout,
                        false,
                        Optional.empty(),
                        0,
                        Command.Pace.HELD);
                return backend.start(command, run);
            });
            run.watch(running, use);
            return run;
        } catch (RuntimeException | InterruptedException e) {
            use.close();
            throw e;
        }
    }

    /// Sends everything and closes stdin. If the operation has ended already, what it said is the better answer than
    /// the broken pipe.
    private static void feed(FileRun run, InputStream content) throws IOException {
        byte[] buffer = new byte[64 << 10];
        OutputStream stdin = run.command().stdin();
        while (true) {
            int length = content.read(buffer);
            try {
                if (length < 0) {
                    stdin.close();
                    return;
                }
                stdin.write(buffer, 0, length);
            } catch (IOException brokenPipe) {
                return;
            }
        }
    }

    private static FileInfo record(byte[] output) {
        List<String> records = records(output);
        return FileInfo.parse(records.isEmpty() ? "" : records.getFirst());
    }

    private static List<String> records(byte[] output) {
        String text = new String(output, StandardCharsets.ISO_8859_1);
        return Arrays.stream(text.split("\0", -1))
                .filter(each -> !each.isEmpty())
                .toList();
    }

    private static String absolute(Sandbox row, String path) {
        return FilePaths.absolute(path, home(row), "path");
    }

    private static String home(Sandbox row) {
        return row.config().agentHome();
    }
}
