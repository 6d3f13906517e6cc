package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.exec.ByteSize;
import hermit.exec.DiskUse;
import hermit.exec.DiskUse.Effect;
import hermit.exec.Exit;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DiskNotesTest {
    private static final ByteSize LIMIT = new ByteSize(8L << 30);

    private static Optional<String> note(Exit exit, DiskUse disk) {
        return DiskNotes.of(new Exit.End(exit, 0, 0, Duration.ZERO, 0, Optional.of(disk)));
    }

    @Test
    void whoever_was_ended_learns_the_limit_and_what_was_used() {
        assertThat(note(new Exit.Signaled(15), new DiskUse(LIMIT, (8L << 30) + (300L << 20), Effect.ENDED)))
                .contains(
                        "the workspace held 8492m, more than its disk_limit of 8g: what ran in the sandbox was ended");
        assertThat(note(new Exit.Exited(0), new DiskUse(new ByteSize(8 << 20), 9_000_000, Effect.ENDED)))
                .contains(
                        "the workspace held 9000000 bytes, more than its disk_limit of 8m: what ran in the sandbox was ended");
    }

    @Test
    void whoever_starts_while_it_is_full_learns_what_can_still_be_done() {
        assertThat(note(new Exit.Exited(0), new DiskUse(new ByteSize(8 << 20), 20 << 20, Effect.BARRED)))
                .hasValueSatisfying(note -> assertThat(note)
                        .contains("held 20m")
                        .contains("disk_limit of 8m")
                        .contains("could remove files"));
    }

    @Test
    void whoever_has_made_room_is_told_what_is_used_now() {
        assertThat(note(new Exit.Exited(0), new DiskUse(new ByteSize(8 << 20), 6 << 20, Effect.BARRED)))
                .hasValue(
                        "the workspace held more than its disk_limit of 8m when the command started: the command could"
                                + " remove files, but none could grow; 6291456 bytes are used now");
    }

    @Test
    void what_cannot_be_measured_is_said_to_be_so() {
        assertThat(note(new Exit.Signaled(15), new DiskUse(LIMIT, DiskUse.IMMEASURABLE, Effect.ENDED)))
                .hasValueSatisfying(
                        note -> assertThat(note).contains("too deep").doesNotContain("held"));
    }

    @Test
    void the_signal_for_a_file_that_is_too_large_is_explained_also_in_the_code_of_a_shell() {
        var within = new DiskUse(LIMIT, 1 << 20, Effect.NONE);
        for (Exit exit : new Exit[] {new Exit.Signaled(25), new Exit.Exited(153)})
            assertThat(note(exit, within)).contains("a file would have grown beyond what the disk_limit of 8g leaves");
    }

    @Test
    void nobody_else_is_told_of_it() {
        assertThat(note(new Exit.Exited(1), new DiskUse(LIMIT, 1 << 20, Effect.NONE)))
                .isEmpty();
        assertThat(DiskNotes.of(new Exit.End(new Exit.Signaled(25), 0, 0, Duration.ZERO, 0)))
                .isEmpty();
    }
}
