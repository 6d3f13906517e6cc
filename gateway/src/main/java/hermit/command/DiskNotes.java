package hermit.command;

import hermit.exec.DiskUse;
import hermit.exec.Exit;
import java.util.Locale;
import java.util.Optional;

/// What a caller is told when the limit on the workspace had to do with how a command ended.
final class DiskNotes {
    /// SIGXFSZ of Linux: a file would have grown beyond the limit on files.
    private static final int FILE_TOO_LARGE = 25;

    private DiskNotes() {}

    static Optional<String> of(Exit.End end) {
        return end.disk().flatMap(disk -> switch (disk.effect()) {
            case ENDED -> Optional.of(full(disk) + ": what ran in the sandbox was ended");
            case BARRED -> Optional.of(barred(disk));
            case NONE ->
                endedByItself(end.exit())
                        ? Optional.of("a file would have grown beyond what the disk_limit of %s leaves"
                                .formatted(disk.limit()))
                        : Optional.empty();
        });
    }

    private static String full(DiskUse disk) {
        return disk.used() >= DiskUse.IMMEASURABLE
                ? "the workspace has directories too deep to be measured, which counts as more than its disk_limit of "
                        + disk.limit()
                : "the workspace held %s, more than its disk_limit of %s"
                        .formatted(readable(disk.used()), disk.limit());
    }

    /// What was used is of the command's end, and it may have made room.
    private static String barred(DiskUse disk) {
        String limits = "the command could remove files, but none could grow";
        return disk.used() > disk.limit().bytes()
                ? "%s: %s".formatted(full(disk), limits)
                : "the workspace held more than its disk_limit of %s when the command started: %s; %s are used now"
                        .formatted(disk.limit(), limits, readable(disk.used()));
    }

    /// As a signal, or in the code of the shell around it.
    private static boolean endedByItself(Exit exit) {
        return exit.equals(new Exit.Signaled(FILE_TOO_LARGE)) || exit.equals(new Exit.Exited(128 + FILE_TOO_LARGE));
    }

    private static String readable(long bytes) {
        if (bytes < 10L << 20) return bytes + " bytes";
        return bytes < 10L << 30
                ? "%dm".formatted(bytes >> 20)
                : String.format(Locale.ROOT, "%.1fg", bytes / (double) (1L << 30));
    }
}
