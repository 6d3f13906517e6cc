package hermit.command;

import hermit.agent.AgentId;
import hermit.exec.Capability;
import hermit.exec.Command;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.ExecId;
import hermit.exec.RunningCommand;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import hermit.sandbox.Alias;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.Sandboxes;
import hermit.world.World;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Files in sandboxes. Each operation runs inside, as the row's user, through the keeper: so no path,
/// link or race can reach a file of the host. The machine is brought up where needed. Any size passes
/// through in pieces, held back to the pace of the slower side.
public final class SandboxFiles {
    /// For what only looks.
    private static final Duration QUICK = Duration.ofMinutes(1);
    /// For what carries or removes bytes, of which there may be any number. Ends what the gateway has lost sight of.
    private static final Duration SLOW = Duration.ofHours(24);

    private static final int MOST_ENTRIES = 50_000;
    private static final int LONGEST_LIST = 32 << 20;
    private static final int LONGEST_REPORT = 1 << 20;

    /// Expanded size of an archive that is taken apart in a sandbox.
    private static final long MOST_UNPACKED = 8L << 30;

    private static final int MOST_UNPACKED_ENTRIES = 200_000;

    private final Sandboxes sandboxes;
    private final Machines machines;
    private final World world;

    public SandboxFiles(Sandboxes sandboxes, Machines machines, World world) {
        this.sandboxes = sandboxes;
        this.machines = machines;
        this.world = world;
    }

    /// The file itself; a link is described, not followed.
    public FileInfo stat(AgentId agent, Alias alias, String path) throws InterruptedException {
        Sandbox row = row(agent, alias);
        return stat(row, absolute(row, path));
    }

    /// The entries of a directory, by name. Throws [Refused] for a directory with more than 50,000.
    public Page<FileInfo> list(AgentId agent, Alias alias, String path, PageRequest page) throws InterruptedException {
        Sandbox row = row(agent, alias);
        String directory = absolute(row, path);
        var report = new FileReport(LONGEST_LIST);
        run(row, directory, QUICK, report, "list", directory, Integer.toString(MOST_ENTRIES));
        var entries = new ArrayList<FileInfo>();
        for (String record : report.all()) {
            if (record.equals("."))
                throw new Refused(
                        ProblemCode.TOO_LARGE, "%s has more than %d entries".formatted(directory, MOST_ENTRIES));
            entries.add(FileInfo.in(directory, record));
        }
        entries.sort(Comparator.comparing(FileInfo::name));
        entries.removeIf(each ->
                page.after().filter(after -> each.name().compareTo(after) <= 0).isPresent());
        return Page.of(entries, page.limit(), FileInfo::name);
    }

    /// A file's bytes; links are followed, inside the sandbox. The caller closes the download.
    public FileContent read(AgentId agent, Alias alias, String path, FileRange range) throws InterruptedException {
        Sandbox row = row(agent, alias);
        String file = absolute(row, path);
        var pieces = new FilePieces();
        var run = start(
                row, file, SLOW, new Stdin.Closed(), pieces, "read", file, range.keeperOffset(), range.keeperLength());
        try {
            return FileReading.begin(file, range, run, pieces);
        } catch (RuntimeException | InterruptedException e) {
            run.close();
            throw e;
        }
    }

    /// Puts what `content` holds in place of the file or link, whole or not at all. With `length`, exactly so many
    /// bytes must come. Missing directories are made.
    public Written write(AgentId agent, Alias alias, String path, InputStream content, OptionalLong length)
            throws InterruptedException, IOException {
        Sandbox row = row(agent, alias);
        String file = absolute(row, path);
        String count = length.isPresent() ? Long.toString(length.getAsLong()) : "-";
        var report = new FileReport(LONGEST_REPORT);
        try (var run = start(row, file, SLOW, new Stdin.Open(), report, "write", file, count, "-")) {
            run.feed(content);
            run.awaitSuccess();
        }
        List<String> records = report.all();
        return new Written(FileInfo.of(file, first(records)), !records.contains("replaced"));
    }

    /// The file as it is now, and whether nothing had its name before.
    public record Written(FileInfo info, boolean created) {}

    /// Makes a directory with its parents. One that is there already is fine.
    public FileInfo mkdir(AgentId agent, Alias alias, String path) throws InterruptedException {
        Sandbox row = row(agent, alias);
        String directory = absolute(row, path);
        run(row, directory, QUICK, new FileReport(LONGEST_REPORT), "mkdir", directory);
        return stat(row, directory);
    }

    /// Renames; a file at `to` is replaced, a directory there is a [hermit.problem.GatewayException.Conflict].
    public FileInfo move(AgentId agent, Alias alias, String from, String to) throws InterruptedException {
        Sandbox row = row(agent, alias);
        String source = FilePaths.absolute(from, home(row), "from");
        String target = FilePaths.absolute(to, home(row), "to");
        refuseHome(row, source, "moved");
        run(row, source, SLOW, new FileReport(LONGEST_REPORT), "move", source, target);
        return stat(row, target);
    }

    /// Never follows links. A directory that is not empty needs `recursive`.
    public void delete(AgentId agent, Alias alias, String path, boolean recursive) throws InterruptedException {
        Sandbox row = row(agent, alias);
        String victim = absolute(row, path);
        refuseHome(row, victim, "deleted");
        run(row, victim, SLOW, new FileReport(LONGEST_REPORT), "delete", victim, recursive ? "1" : "0");
    }

    /// A tar stream of a file or directory, with names that begin with its own. The caller closes it.
    public FileDownload pack(AgentId agent, Alias alias, String path) throws InterruptedException {
        Sandbox row = row(agent, alias);
        String packed = absolute(row, path);
        var pieces = new FilePieces();
        var run = start(row, packed, SLOW, new Stdin.Closed(), pieces, "pack", packed);
        try {
            return FileDownload.begun(packed, run, pieces);
        } catch (RuntimeException | InterruptedException e) {
            run.close();
            throw e;
        }
    }

    /// Takes a tar stream apart into a directory. What was refused is listed, the rest is there.
    public Unpacked unpack(AgentId agent, Alias alias, String path, InputStream archive)
            throws InterruptedException, IOException {
        Sandbox row = row(agent, alias);
        String directory = absolute(row, path);
        String bytes = Long.toString(MOST_UNPACKED);
        String entries = Integer.toString(MOST_UNPACKED_ENTRIES);
        var report = new FileReport(LONGEST_REPORT);
        try (var run = start(row, directory, SLOW, new Stdin.Open(), report, "unpack", directory, bytes, entries)) {
            run.feed(archive);
            run.awaitSuccess();
        }
        return new Unpacked(report.records().stream().map(RefusedEntry::parse).toList(), report.count());
    }

    /// `refused` may be only the first of them; `count` is how many there were.
    public record Unpacked(List<RefusedEntry> refused, long count) {
        public Unpacked {
            refused = List.copyOf(refused);
        }
    }

    /// An entry of an archive that was not put in place, and why: one of the keeper's words.
    public record RefusedEntry(String name, String reason) {
        static RefusedEntry parse(String record) {
            String[] parts = record.split("\t", -1);
            return parts.length == 3
                    ? new RefusedEntry(FileInfo.unescape(parts[2]), parts[1])
                    : new RefusedEntry("", "unknown");
        }
    }

    private FileInfo stat(Sandbox row, String path) throws InterruptedException {
        var report = new FileReport(LONGEST_REPORT);
        run(row, path, QUICK, report, "stat", path);
        return FileInfo.of(path, first(report.all()));
    }

    private void run(Sandbox row, String path, Duration timeout, FileReport report, String... operation)
            throws InterruptedException {
        try (var run = start(row, path, timeout, new Stdin.Closed(), report, operation)) {
            run.awaitSuccess();
        }
    }

    private FileRun start(
            Sandbox row, String path, Duration timeout, Stdin stdin, FileOutput output, String... operation)
            throws InterruptedException {
        var run = new FileRun(path, output);
        var use = machines.use(row, run::close);
        var id = new ExecId(world.newId());
        try {
            use.call((backend, _) -> {
                var words = new ArrayList<>(List.of(backend.keeperPath(), "fs"));
                words.addAll(List.of(operation));
                RunningCommand running = backend.start(command(id, words, stdin, timeout), run);
                run.started(running, use, () -> backend.forget(id));
                return running;
            });
            return run;
        } catch (RuntimeException | InterruptedException e) {
            use.close();
            throw e;
        }
    }

    private static Command command(ExecId id, List<String> words, Stdin stdin, Duration timeout) {
        return new Command(
                id,
                new Program.Argv(words),
                Optional.of("/"),
                Map.of(),
                stdin,
                Optional.of(timeout),
                false,
                Optional.empty(),
                0,
                Command.Pace.HELD);
    }

    private Sandbox row(AgentId agent, Alias alias) {
        return sandboxes.forUse(agent, alias, Capability.FILES);
    }

    private static void refuseHome(Sandbox row, String path, String what) {
        if (FilePaths.same(path, home(row))) throw new Forbidden("The agent home itself cannot be " + what);
    }

    private static String first(List<String> records) {
        return records.isEmpty() ? "" : records.getFirst();
    }

    private static String absolute(Sandbox row, String path) {
        return FilePaths.absolute(path, home(row), "path");
    }

    private static String home(Sandbox row) {
        return row.config().agentHome();
    }
}
