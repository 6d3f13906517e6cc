package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayDownload;
import hermit.api.GatewayUpload;
import hermit.api.JsonTree;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `hermit sandbox cp`.
@Command(
        name = "cp",
        description = {
            "Copies a file or directory into a sandbox, or out of it.",
            "",
            "One of the two is ALIAS:PATH, absolute or relative to the agent home; the other is local, and '-' is our stdin or"
                    + " stdout. As with cp, what goes to a directory that is there keeps its name in it.",
            ""
        })
final class SandboxCopy implements Callable<Integer> {
    private static final int MOST_NOTES = 20;

    private final CliContext cli;

    @Mixin
    private AgentOption agent = new AgentOption();

    @Parameters(index = "0", paramLabel = "FROM")
    private String from = "";

    @Parameters(index = "1", paramLabel = "TO")
    private String to = "";

    SandboxCopy(CliContext cli) {
        this.cli = cli;
    }

    /// What was copied, and what a side would not take: names and reasons.
    private record Copied(String to, long bytes, long files, List<TreeUnpacking.Refused> refused, long refusedCount) {
        static Copied file(String to, long bytes) {
            return new Copied(to, bytes, 1, List.of(), 0);
        }
    }

    @Override
    public Integer call() throws Exception {
        Optional<RemotePath> source = from.equals("-") ? Optional.empty() : RemotePath.parse(from);
        Optional<RemotePath> target = to.equals("-") ? Optional.empty() : RemotePath.parse(to);
        if (source.isPresent() == target.isPresent())
            throw CliFailure.usage(
                    "One of FROM and TO must be in a sandbox, as in 'default:notes.txt', and the other not");
        if (cli.output().json() && to.equals("-"))
            throw CliFailure.usage("With --json stdout is the one document, and no place for a file");
        var files = new RemoteFiles(cli.gateway(), agent.in(cli));
        try {
            Copied copied = source.isPresent() ? download(files, source.get()) : upload(files, target.orElseThrow());
            return report(copied);
        } catch (GatewayDownload.Broken e) {
            throw new Unreachable(Unreachable.Stage.BROKEN, "Copy %s to %s: %s".formatted(from, to, reason(e)), e);
        } catch (IOException e) {
            throw CliFailure.local("copy_failed", "Copy %s to %s: %s".formatted(from, to, reason(e)));
        }
    }

    // --- into the sandbox

    private Copied upload(RemoteFiles files, RemotePath target) throws GatewayClientException, IOException, CliFailure {
        boolean stdin = from.equals("-");
        Path local = Path.of(from);
        if (!stdin && !Files.exists(local)) throw CliFailure.local("no_such_file", "There is no file " + from);
        boolean intoDirectory =
                find(files, target).filter(RemoteFiles.Found::isDirectory).isPresent();
        boolean named = !intoDirectory && !target.namesDirectory();
        if (stdin && !named)
            throw CliFailure.usage("What comes from stdin needs a name: %s is a directory".formatted(to));
        RemotePath place = named ? target : target.child(name(local));
        if (stdin) return uploadStdin(files, place);
        return Files.isDirectory(local) ? uploadTree(files, local, place) : uploadFile(files, local, place);
    }

    private Copied uploadStdin(RemoteFiles files, RemotePath place) throws GatewayClientException, IOException {
        try (var progress = new TransferProgress(cli, OptionalLong.empty())) {
            var in = progress.counting(cli.surroundings().in());
            files.write(place, new GatewayUpload("application/octet-stream", OptionalLong.empty(), in::transferTo));
            return Copied.file(place.toString(), progress.bytes());
        }
    }

    private Copied uploadFile(RemoteFiles files, Path local, RemotePath place)
            throws GatewayClientException, IOException {
        try (var in = Files.newInputStream(local)) {
            // A pipe or a device has no length that could be announced.
            var length = Files.isRegularFile(local) ? OptionalLong.of(Files.size(local)) : OptionalLong.empty();
            try (var progress = new TransferProgress(cli, length)) {
                var counted = progress.counting(in);
                files.write(place, new GatewayUpload("application/octet-stream", length, out -> {
                    if (length.isEmpty()) counted.transferTo(out);
                    else Exactly.transfer(counted, out, length.getAsLong(), local);
                }));
                return Copied.file(place.toString(), progress.bytes());
            }
        }
    }

    private Copied uploadTree(RemoteFiles files, Path local, RemotePath place)
            throws GatewayClientException, IOException {
        files.mkdir(place);
        try (var progress = new TransferProgress(cli, OptionalLong.empty())) {
            var tree = new TreePacking(local, progress, cli.output());
            JsonNode answer =
                    files.unpack(place, new GatewayUpload("application/x-tar", OptionalLong.empty(), tree::writeTo));
            var refused = new ArrayList<TreeUnpacking.Refused>();
            for (JsonNode each : answer.path("refused"))
                refused.add(new TreeUnpacking.Refused(
                        each.path("name").asText(), each.path("reason").asText()));
            long count = answer.path("refused_count").asLong();
            return new Copied(place.toString(), progress.bytes(), tree.files(), List.copyOf(refused), count);
        }
    }

    // --- out of it

    private Copied download(RemoteFiles files, RemotePath source)
            throws GatewayClientException, IOException, CliFailure {
        var found = find(files, source)
                .orElseThrow(() -> new CliFailure(ExitCode.REFUSED, "not_found", "There is no " + source));
        if (!found.isDirectory()) return downloadFile(files, source, found);
        if (to.equals("-")) throw CliFailure.usage("%s is a directory, and only a file fits on stdout".formatted(from));
        var target = LocalTarget.of(to, Path.of(to), found.name());
        try (var content = files.pack(source.alias(), found.path());
                var _ = cli.surroundings().interrupts().guard(content::close);
                var progress = new TransferProgress(cli, OptionalLong.empty())) {
            var done = new ArrayList<TreeUnpacking>();
            target.tree(root -> {
                var tree = new TreeUnpacking(root);
                tree.readFrom(progress.counting(content));
                done.add(tree);
            });
            TreeUnpacking tree = done.getFirst();
            List<TreeUnpacking.Refused> refused = tree.refused();
            return new Copied(target.toString(), progress.bytes(), tree.files(), refused, refused.size());
        }
    }

    private Copied downloadFile(RemoteFiles files, RemotePath source, RemoteFiles.Found found)
            throws GatewayClientException, IOException {
        try (GatewayDownload content = files.read(source.alias(), found.path());
                var _ = cli.surroundings().interrupts().guard(content::close);
                var progress = new TransferProgress(cli, content.length())) {
            var counted = progress.counting(content);
            if (to.equals("-")) {
                toStdout(counted);
                return Copied.file(to, progress.bytes());
            }
            var target = LocalTarget.of(to, Path.of(to), found.name());
            return Copied.file(target.toString(), target.file(counted));
        }
    }

    private void toStdout(InputStream content) throws IOException {
        try {
            content.transferTo(cli.surroundings().out());
            cli.surroundings().out().flush();
        } catch (GatewayDownload.Broken e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e); // whoever read it has gone
        }
    }

    /// The first call brings the sandbox up, which may take a while and is told meanwhile.
    private Optional<RemoteFiles.Found> find(RemoteFiles files, RemotePath file)
            throws GatewayClientException, CliFailure {
        try (var _ = BringUpProgress.watch(cli, agent.in(cli), file.alias())) {
            return files.find(file);
        }
    }

    private int report(Copied copied) {
        ObjectNode document = JsonTree.object()
                .put("from", from)
                .put("to", copied.to)
                .put("bytes", copied.bytes)
                .put("files", copied.files)
                .put("refused_count", copied.refusedCount);
        var refused = document.putArray("refused");
        for (var each : copied.refused)
            refused.addObject().put("name", each.name()).put("reason", each.reason());
        copied.refused.stream()
                .limit(MOST_NOTES)
                .forEach(each -> cli.output().note("left out: %s (%s)".formatted(each.name(), each.reason())));
        if (copied.refusedCount > MOST_NOTES) cli.output().note("%d were left out".formatted(copied.refusedCount));
        if (!to.equals("-"))
            cli.output()
                    .result(
                            document,
                            "Copied %s to %s (%s)".formatted(from, copied.to, TransferProgress.size(copied.bytes)));
        return copied.refusedCount == 0 ? ExitCode.OK : ExitCode.REFUSED;
    }

    private static String name(Path local) throws IOException {
        Path name = local.toRealPath(LinkOption.NOFOLLOW_LINKS).getFileName();
        return name == null ? "root" : name.toString();
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
