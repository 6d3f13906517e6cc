package hermit.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/// Takes a tar stream from a sandbox apart in an empty directory of our own. Whatever the sandbox put into it: nothing
/// is written outside of that directory or through a link, no link leads out of it, and no file gets a set-id bit.
final class TreeUnpacking {
    /// An entry that was left out, and why.
    record Refused(String name, String reason) {}

    private final Path root;
    private final List<Refused> refused = new ArrayList<>();
    /// Modes of directories, given at the end: what belongs into one must be allowed in first.
    private final Map<Path, Integer> modes = new LinkedHashMap<>();

    private long files;

    TreeUnpacking(Path root) {
        this.root = root;
    }

    List<Refused> refused() {
        return List.copyOf(refused);
    }

    /// How many files there are now, links included.
    long files() {
        return files;
    }

    /// The first part of each name, which is the packed directory's own, is left out. Throws for an archive that is cut
    /// off, and if this machine does not take a file.
    void readFrom(InputStream in) throws IOException {
        var tar = new TarArchiveInputStream(in, StandardCharsets.UTF_8.name());
        for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
            Optional<String> reason = take(entry, tar);
            if (reason.isPresent()) refused.add(new Refused(entry.getName(), reason.get()));
        }
        in.transferTo(OutputStream.nullOutputStream()); // throws if the rest is missing
        for (var each : modes.entrySet()) permit(each.getKey(), each.getValue());
    }

    private Optional<String> take(TarArchiveEntry entry, TarArchiveInputStream tar) throws IOException {
        String name = entry.getName();
        if (name.startsWith("/")) return Optional.of("absolute");
        var parts = new ArrayList<String>();
        for (String part : name.split("/", -1)) if (!part.isEmpty() && !part.equals(".")) parts.add(part);
        if (parts.contains("..")) return Optional.of("parent");
        if (parts.isEmpty() || name.indexOf('\0') >= 0) return Optional.of("name");
        if (parts.size() == 1) {
            if (entry.isDirectory()) modes.put(root, (entry.getMode() & 0777) | 0700);
            return entry.isDirectory() ? Optional.empty() : Optional.of("name");
        }
        Path file = root;
        for (String part : parts.subList(1, parts.size() - 1)) {
            file = file.resolve(part);
            if (Files.isSymbolicLink(file)) return Optional.of("link");
            if (!Files.isDirectory(file)) Files.createDirectory(file);
        }
        return put(entry, file.resolve(parts.getLast()), parts.size() - 2, tar);
    }

    /// `depth`: how many directories below the root the entry's own is.
    private Optional<String> put(TarArchiveEntry entry, Path file, int depth, TarArchiveInputStream tar)
            throws IOException {
        if (entry.isDirectory()) {
            if (Files.isSymbolicLink(file)) return Optional.of("link");
            if (!Files.isDirectory(file)) Files.createDirectory(file);
            modes.put(file, (entry.getMode() & 0777) | 0700);
            return Optional.empty();
        }
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) return Optional.of("is_a_directory");
        if (entry.isSymbolicLink()) {
            if (leadsOut(entry.getLinkName(), depth)) return Optional.of("link");
            Files.deleteIfExists(file);
            Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
            return Optional.of("hard_link");
        } else if (entry.isCharacterDevice() || entry.isBlockDevice() || entry.isFIFO()) {
            return Optional.of("device");
        } else {
            Files.deleteIfExists(file);
            try (OutputStream out = Files.newOutputStream(
                    file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                tar.transferTo(out);
            }
            permit(file, entry.getMode() & 0777);
            Files.setLastModifiedTime(file, entry.getLastModifiedTime());
        }
        files++;
        return Optional.empty();
    }

    /// A `..` after a name may go up from wherever a link leads, so only those in front are counted.
    private static boolean leadsOut(String target, int depth) {
        if (target.isEmpty() || target.startsWith("/")) return true;
        int left = depth;
        boolean down = false;
        for (String part : target.split("/", -1)) {
            if (part.isEmpty() || part.equals(".")) continue;
            if (!part.equals("..")) down = true;
            else if (down || left-- == 0) return true;
        }
        return false;
    }

    private static void permit(Path file, int mode) throws IOException {
        var text = new StringBuilder();
        for (int bit = 8; bit >= 0; bit--) text.append((mode >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(text.toString()));
    }
}
