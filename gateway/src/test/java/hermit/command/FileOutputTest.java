package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.exec.ByteSize;
import hermit.exec.DiskUse;
import hermit.exec.Exit;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.ProviderError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What an operation prints, and what is made of its end.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FileOutputTest {
    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void pieces_wait_to_be_taken_and_hold_the_sandbox_back_when_nobody_takes() throws Exception {
        var pieces = new FilePieces();
        pieces.add(0, ByteBuffer.allocate(1 << 20));
        var blocked = Thread.ofVirtual().start(() -> {
            try {
                pieces.add(1 << 20, bytes("more"));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (blocked.getState() != Thread.State.WAITING) Thread.onSpinWait();
        assertThat(pieces.take().orElseThrow()).hasSize(1 << 20);
        assertThat(pieces.take().orElseThrow()).hasSize(4);
        blocked.join();
        pieces.ended();
        assertThat(pieces.take()).isEmpty();
        assertThat(pieces.hasGap()).isFalse();
    }

    @Test
    void nobody_waits_for_a_taker_that_has_gone() throws Exception {
        var pieces = new FilePieces();
        pieces.add(0, ByteBuffer.allocate(1 << 20));
        pieces.close();
        pieces.add(1 << 20, ByteBuffer.allocate(1 << 20));
        assertThat(pieces.take()).isEmpty();
    }

    @Test
    void a_gap_is_no_end() throws Exception {
        var pieces = new FilePieces();
        pieces.add(0, bytes("ab"));
        pieces.add(3, bytes("d"));
        assertThat(pieces.take()).isEmpty();
        assertThat(pieces.hasGap()).isTrue();
    }

    @Test
    void a_report_is_its_whole_records_in_whatever_pieces_they_come() {
        var report = new FileReport(100);
        report.add(0, bytes("on"));
        report.add(2, bytes("e\0two\0ha"));
        assertThat(report.records()).containsExactly("one", "two");
        assertThat(report.count()).isEqualTo(2);
        assertThat(report.all()).containsExactly("one", "two");
    }

    @Test
    void a_report_beyond_its_limit_is_counted_and_never_taken_for_all() {
        var report = new FileReport(6);
        report.add(0, bytes("one\0two\0three\0"));
        assertThat(report.records()).containsExactly("one");
        assertThat(report.count()).isEqualTo(3);
        assertThatThrownBy(report::all).isInstanceOf(ProviderError.class);
    }

    @Test
    void a_report_with_a_gap_says_nothing() {
        var report = new FileReport(100);
        report.add(0, bytes("one\0"));
        report.add(5, bytes("wo\0"));
        assertThatThrownBy(report::records).isInstanceOf(ProviderError.class);
    }

    @ParameterizedTest
    @CsvSource({
        "not_found, NOT_FOUND",
        "exists, CONFLICT",
        "not_empty, CONFLICT",
        "not_a_directory, INVALID",
        "is_a_directory, INVALID",
        "bad_path, INVALID",
        "bad_archive, INVALID",
        "denied, FORBIDDEN",
        "too_large, TOO_LARGE",
        "disk_limit, TOO_LARGE",
        "no_space, TOO_LARGE",
        "limit, TOO_LARGE",
        "io, PROVIDER_ERROR",
        "nonsense, PROVIDER_ERROR"
    })
    void each_word_of_the_keeper_has_its_code(String word, String code) {
        GatewayException failure = FileFailure.of("/a", ended(new Exit.Exited(1)), word + "\tthe reason: /a\n");
        assertThat(failure.code().name()).isEqualTo(code);
        assertThat(failure.detail()).contains("/a").contains("the reason");
    }

    @Test
    void without_a_word_the_end_itself_is_the_reason() {
        assertThat(FileFailure.of("/a", ended(new Exit.Exited(127)), "").code().name())
                .isEqualTo("PROVIDER_ERROR");
        assertThat(FileFailure.of("/a", ended(new Exit.Signaled(9)), "").code().name())
                .isEqualTo("PROVIDER_ERROR");
        assertThat(FileFailure.of("/a", ended(new Exit.OomKilled()), "").detail())
                .contains("memory");
        assertThat(FileFailure.of("/a", ended(new Exit.SandboxLost("x")), "")
                        .code()
                        .name())
                .isEqualTo("BACKEND_UNAVAILABLE");
        assertThat(FileFailure.of("/a", ended(new Exit.TransportLost("x")), "")
                        .code()
                        .name())
                .isEqualTo("BACKEND_UNAVAILABLE");
    }

    @Test
    void what_it_said_counts_also_when_it_was_cancelled_meanwhile() {
        var failure = FileFailure.of("/a", ended(new Exit.Cancelled(false)), "no_space\tdisk full\n");
        assertThat(failure.code().name()).isEqualTo("TOO_LARGE");
    }

    @Test
    void what_the_disk_limit_has_stopped_names_it() {
        var stood = new DiskUse(new ByteSize(8 << 20), 3 << 20, DiskUse.Effect.NONE);
        var failure = FileFailure.of("/a", ended(new Exit.Exited(1), stood), "disk_limit\twrite: File too large: /a\n");
        assertThat(failure.code().name()).isEqualTo("TOO_LARGE");
        assertThat(failure.detail()).contains("File too large").contains("disk_limit is 8m");
    }

    @Test
    void one_that_was_ended_because_the_disk_was_full_says_so() {
        var full = new DiskUse(new ByteSize(8 << 20), 20 << 20, DiskUse.Effect.ENDED);
        var failure = FileFailure.of("/a", ended(new Exit.Exited(143), full), "");
        assertThat(failure.code().name()).isEqualTo("TOO_LARGE");
        assertThat(failure.detail()).contains("held 20m, more than its disk_limit of 8m");
    }

    private static Exit.End ended(Exit exit) {
        return new Exit.End(exit, 0, 0, Duration.ZERO, 0);
    }

    private static Exit.End ended(Exit exit, DiskUse disk) {
        return new Exit.End(exit, 0, 0, Duration.ZERO, 0, Optional.of(disk));
    }
}
