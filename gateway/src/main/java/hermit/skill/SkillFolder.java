package hermit.skill;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/// Reads one skill's folder: `SKILL.md` with its frontmatter, and whatever lies beside it. Links and
/// devices are refused, so that a folder that somebody else filled cannot bring a file of the host into
/// sandboxes.
final class SkillFolder {
    static final int MOST_FILES = 1_000;
    static final long MOST_BYTES = 8L << 20;
    private static final String MANIFEST = "SKILL.md";

    private SkillFolder() {}

    /// What is wrong with a folder, in words for the operator.
    static final class Unfit extends Exception {
        Unfit(String message) {
            super(message);
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    record Found(Skill skill, byte[] archive) {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Content(byte[] bytes, boolean executable) {}

    static Found read(Path folder, Instant now) throws Unfit {
        String folderName = String.valueOf(folder.getFileName());
        if (!SkillName.isName(folderName)) throw new Unfit("the folder's name must be " + SkillName.SHAPE);
        var name = new SkillName(folderName);
        try {
            var files = files(folder);
            var manifest = files.get(MANIFEST);
            if (manifest == null) throw new Unfit("there is no " + MANIFEST);
            var front = Frontmatter.read(text(manifest.bytes));
            if (!front.name().equals(folderName))
                throw new Unfit("name: is '%s', and must be the folder's, '%s'".formatted(front.name(), folderName));
            byte[] archive = pack(name, files);
            long bytes =
                    files.values().stream().mapToLong(file -> file.bytes.length).sum();
            return new Found(new Skill(name, front.description(), digest(archive), files.size(), bytes, now), archive);
        } catch (IOException | UncheckedIOException e) {
            throw new Unfit("cannot be read: " + e.getMessage());
        }
    }

    private static SortedMap<String, Content> files(Path folder) throws IOException, Unfit {
        var files = new TreeMap<String, Content>();
        long bytes = 0;
        try (var walk = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) walk::iterator) {
                if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) continue;
                String path = folder.relativize(file).toString();
                if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    throw new Unfit("%s: is a link or no file".formatted(path));
                bytes += Files.size(file);
                if (files.size() == MOST_FILES) throw new Unfit("has more than %d files".formatted(MOST_FILES));
                if (bytes > MOST_BYTES) throw new Unfit("has more than %d bytes".formatted(MOST_BYTES));
                files.put(path, new Content(Files.readAllBytes(file), Files.isExecutable(file)));
            }
        }
        return files;
    }

    /// The same files make the same bytes: no times, no owners.
    private static byte[] pack(SkillName name, SortedMap<String, Content> files) throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var tar = new TarArchiveOutputStream(packed, StandardCharsets.UTF_8.name())) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (var file : files.entrySet()) {
                var entry = new TarArchiveEntry(name + "/" + file.getKey());
                entry.setSize(file.getValue().bytes.length);
                entry.setModTime(0);
                entry.setMode(file.getValue().executable ? 0755 : 0644);
                entry.setIds(0, 0);
                tar.putArchiveEntry(entry);
                tar.write(file.getValue().bytes);
                tar.closeArchiveEntry();
            }
        }
        return packed.toByteArray();
    }

    private static String text(byte[] bytes) throws Unfit {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new Unfit(MANIFEST + ": is not UTF-8");
        }
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
