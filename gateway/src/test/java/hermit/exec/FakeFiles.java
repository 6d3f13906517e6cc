package hermit.exec;

import hermit.exec.FakeProvider.FakeCommand;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/// The files of a fake machine, and the operations of the keeper on them: a tree of whole files, without links.
/// What a name ends in lets a test break the operation: `.hang` stops after 3 bytes until it is ended from outside,
/// `.lost` loses the machine there, `.short` and `.long` have 3 bytes less or more than their record says.
final class FakeFiles {
    private static final byte[] DIRECTORY = {};

    private final NavigableMap<String, byte[]> tree = new TreeMap<>(Map.of("/", DIRECTORY, "/root", DIRECTORY));

    /// Carries out an operation whose arguments are those of `keeper fs`, as `command`.
    synchronized void run(List<String> words, FakeCommand command) throws InterruptedException {
        String path = words.get(1);
        switch (words.getFirst()) {
            case "stat" -> stat(path, command);
            case "list" -> list(path, Integer.parseInt(words.get(2)), command);
            case "read" -> read(path, words.get(2), words.get(3), command);
            case "write" -> command.whenStdinEnds(bytes -> write(path, words.get(2), bytes, command));
            case "mkdir" -> {
                parents(path + "/x");
                command.end(new Exit.Exited(0));
            }
            case "move" -> move(path, words.get(2), command);
            case "delete" -> delete(path, words.get(2).equals("1"), command);
            case "pack" -> pack(path, command);
            case "unpack" -> command.whenStdinEnds(bytes -> unpack(path, bytes, command));
            default -> throw new IllegalArgumentException("no operation " + words);
        }
    }

    private void stat(String path, FakeCommand command) throws InterruptedException {
        if (missing(path, command)) return;
        command.print(record(path, ""));
        command.end(new Exit.Exited(0));
    }

    private void list(String path, int limit, FakeCommand command) throws InterruptedException {
        if (missing(path, command)) return;
        String below = path.equals("/") ? "/" : path + "/";
        var children = tree.keySet().stream()
                .filter(each -> each.startsWith(below) && each.length() > below.length())
                .filter(each -> each.indexOf('/', below.length()) < 0)
                .toList()
                .reversed(); // in no useful order, as a directory gives them
        for (String each : children.subList(0, Math.min(limit, children.size())))
            command.print(record(each, each.substring(below.length())));
        if (children.size() > limit) command.print(".\0".getBytes(StandardCharsets.UTF_8));
        command.end(new Exit.Exited(0));
    }

    private void read(String path, String from, String count, FakeCommand command) throws InterruptedException {
        if (missing(path, command)) return;
        byte[] bytes = tree.getOrDefault(path, DIRECTORY);
        if (isDirectory(path)) {
            fail(command, "is_a_directory\tis a directory: " + path);
            return;
        }
        int start = from.startsWith("-")
                ? Math.max(0, bytes.length + Integer.parseInt(from))
                : (int) Math.min(Long.parseLong(from), bytes.length);
        long left = count.equals("-") ? bytes.length : Long.parseLong(count);
        int end = (int) Math.min(bytes.length, start + left);
        command.print(record(path, ""));
        int stop = path.matches(".*\\.(hang|lost|short)") ? Math.min(end, start + 3) : end;
        command.print(Arrays.copyOfRange(bytes, start, stop));
        if (path.endsWith(".hang")) return;
        if (path.endsWith(".long")) command.print(new byte[3]);
        command.end(path.endsWith(".lost") ? new Exit.SandboxLost("the fake machine vanished") : new Exit.Exited(0));
    }

    private synchronized void write(String path, String count, byte[] bytes, FakeCommand command)
            throws InterruptedException {
        if (!count.equals("-") && bytes.length != Long.parseLong(count)) {
            fail(command, "io\tstdin ended too early");
            return;
        }
        if (tree.containsKey(path) && isDirectory(path)) {
            fail(command, "is_a_directory\tis a directory: " + path);
            return;
        }
        parents(path);
        boolean replaced = tree.put(path, bytes.length == 0 ? new byte[0] : bytes) != null;
        command.print(record(path, ""));
        if (replaced) command.print("replaced\0".getBytes(StandardCharsets.UTF_8));
        command.end(new Exit.Exited(0));
    }

    private void move(String from, String to, FakeCommand command) throws InterruptedException {
        if (missing(from, command)) return;
        var below = new TreeMap<>(tree.subMap(from + "/", from + "0"));
        tree.keySet().removeAll(below.keySet());
        below.forEach((path, bytes) -> tree.put(to + path.substring(from.length()), bytes));
        tree.put(to, Objects.requireNonNull(tree.remove(from)));
        command.end(new Exit.Exited(0));
    }

    private void delete(String path, boolean recursive, FakeCommand command) throws InterruptedException {
        if (missing(path, command)) return;
        var below = tree.subMap(path + "/", path + "0");
        if (!below.isEmpty() && !recursive) {
            fail(command, "not_empty\tis not empty: " + path);
            return;
        }
        below.clear();
        tree.remove(path);
        command.end(new Exit.Exited(0));
    }

    private void pack(String path, FakeCommand command) throws InterruptedException {
        if (missing(path, command)) return;
        var bytes = new ByteArrayOutputStream();
        String parent = path.substring(0, path.lastIndexOf('/') + 1);
        try (var tar = new TarArchiveOutputStream(bytes)) {
            for (String each : tree.keySet()) {
                if (!each.equals(path) && !each.startsWith(path + "/")) continue;
                String name = each.substring(parent.length()) + (isDirectory(each) ? "/" : "");
                var entry = new TarArchiveEntry(name);
                entry.setSize(tree.getOrDefault(each, DIRECTORY).length);
                tar.putArchiveEntry(entry);
                tar.write(tree.getOrDefault(each, DIRECTORY));
                tar.closeArchiveEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        command.print(bytes.toByteArray());
        command.end(new Exit.Exited(0));
    }

    /// Takes plain files and directories, and refuses everything else.
    private synchronized void unpack(String path, byte[] archive, FakeCommand command) throws InterruptedException {
        try (var tar = new TarArchiveInputStream(new ByteArrayInputStream(archive))) {
            boolean any = archive.length >= 1024; // the end of an archive without entries
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                any = true;
                String name = path + "/" + entry.getName().replaceFirst("/$", "");
                String refused = "refused\tlink\t%s\0".formatted(entry.getName());
                if (entry.isDirectory()) parents(name + "/x");
                else if (entry.isSymbolicLink()) command.print(refused.getBytes(StandardCharsets.UTF_8));
                else {
                    parents(name);
                    tree.put(name, tar.readAllBytes());
                }
            }
            if (any) command.end(new Exit.Exited(0));
            else fail(command, "bad_archive\tthe archive is cut off");
        } catch (IOException e) {
            fail(command, "bad_archive\tnot a tar header");
        }
    }

    private void parents(String path) {
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1))
            tree.putIfAbsent(path.substring(0, slash), DIRECTORY);
    }

    private boolean missing(String path, FakeCommand command) throws InterruptedException {
        if (tree.containsKey(path)) return false;
        fail(command, "not_found\tNo such file or directory: " + path);
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // the one array that stands for all directories
    private boolean isDirectory(String path) {
        return tree.get(path) == DIRECTORY;
    }

    private byte[] record(String path, String name) {
        byte[] bytes = tree.getOrDefault(path, DIRECTORY);
        String type = isDirectory(path) ? "d 755" : "f 644";
        return "%s 0 0 %d 1700000000123456789\t%s\t\0"
                .formatted(type, bytes.length, name)
                .getBytes(StandardCharsets.UTF_8);
    }

    private static void fail(FakeCommand command, String complaint) throws InterruptedException {
        command.complain(complaint + "\n");
        command.end(new Exit.Exited(1));
    }
}
