package hermit.config;

import hermit.problem.FieldError;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The directory that belongs to one gateway. What it makes there is readable by nobody else from the first instant
/// on: the mode is given when the file is created, not afterwards. Mistakes go into a list that the caller owns.
final class Home {
    static final String CONFIG = "gateway.json";
    static final String DOTENV = ".env";
    static final String ADMIN_TOKEN = "admin-token";
    static final String INSTANCE_ID = "instance-id";

    /// Far more than any of these files needs; a wrong link should not fill the memory.
    private static final long MAX_BYTES = 1 << 20;

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final Set<PosixFilePermission> WRITE_BY_OTHERS =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final Set<PosixFilePermission> READ_BY_OTHERS =
            EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private final Path directory;
    private final boolean writes;
    private final List<FieldError> mistakes;

    private Home(Path directory, boolean writes, List<FieldError> mistakes) {
        this.directory = directory;
        this.writes = writes;
        this.mistakes = mistakes;
    }

    /// Made (0700) if it is not there yet.
    static Home open(Path directory, List<FieldError> mistakes) {
        var home = new Home(directory.toAbsolutePath().normalize(), true, mistakes);
        try {
            if (!Files.isDirectory(home.directory)) Files.createDirectories(home.directory, OWNER_ONLY_DIRECTORY);
        } catch (IOException e) {
            home.mistake(home.directory.toString(), "cannot be created as a directory: " + reason(e));
        }
        home.checkDirectory();
        return home;
    }

    /// Looked at only: what is missing is made up in memory, and forgotten.
    static Home inspect(Path directory, List<FieldError> mistakes) {
        var home = new Home(directory.toAbsolutePath().normalize(), false, mistakes);
        home.checkDirectory();
        return home;
    }

    Path directory() {
        return directory;
    }

    /// The file's text; empty if there is no such file, or if it cannot be read (a mistake).
    Optional<String> text(String name) {
        Path file = directory.resolve(name);
        try {
            if (Files.size(file) > MAX_BYTES) return wrong(name, "is larger than a megabyte");
            if (othersMay(file, WRITE_BY_OTHERS)) mistake(name, "can be written by others; run: chmod 600 " + file);
            return Optional.of(Files.readString(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            return wrong(name, "cannot be read: " + reason(e));
        }
    }

    /// Says that the file, if it is there, holds secrets: then nobody else may read it.
    void mustBePrivate(String name) {
        Path file = directory.resolve(name);
        try {
            if (Files.exists(file) && othersMay(file, READ_BY_OTHERS))
                mistake(name, "holds secrets and can be read by others; run: chmod 600 " + file);
        } catch (IOException e) {
            mistake(name, "cannot be checked: " + reason(e));
        }
    }

    /// The text of a file that is made with `fresh` (0600) if it is not there. Of two that start at once, one makes
    /// it and both read the same: it appears under its name only when it is complete.
    String textOrMake(String name, String fresh) {
        Optional<String> existing = text(name);
        if (existing.isPresent()) return existing.get();
        if (!writes || !mistakes.isEmpty()) return fresh;
        try {
            Path draft = Files.createTempFile(directory, "." + name, ".new", OWNER_ONLY_FILE);
            try {
                Files.writeString(draft, fresh);
                Files.createLink(directory.resolve(name), draft);
                return fresh;
            } catch (FileAlreadyExistsException e) {
                return text(name).orElse(fresh);
            } finally {
                Files.deleteIfExists(draft);
            }
        } catch (IOException e) {
            mistake(name, "cannot be created: " + reason(e));
            return fresh;
        }
    }

    private void checkDirectory() {
        try {
            if (Files.exists(directory) && othersMay(directory, WRITE_BY_OTHERS))
                mistake(directory.toString(), "can be written by others; run: chmod 700 " + directory);
        } catch (IOException e) {
            mistake(directory.toString(), "cannot be checked: " + reason(e));
        }
    }

    private void mistake(String path, String message) {
        mistakes.add(new FieldError(path, message));
    }

    private <T> Optional<T> wrong(String path, String message) {
        mistake(path, message);
        return Optional.empty();
    }

    private static boolean othersMay(Path file, Set<PosixFilePermission> permissions) throws IOException {
        var granted = EnumSet.noneOf(PosixFilePermission.class);
        granted.addAll(Files.getPosixFilePermissions(file, new LinkOption[0]));
        granted.retainAll(permissions);
        return !granted.isEmpty();
    }

    /// A file system exception's message is only the path; its type says what is wrong.
    private static String reason(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
