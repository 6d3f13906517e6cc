package hermit.backend.tenki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.backend.cloud.Guest;
import hermit.config.Secret;
import hermit.exec.MachineGone;
import hermit.fake.Fault.Kind;
import hermit.fake.Journal;
import hermit.fake.tenki.TenkiFakeSettings;
import hermit.problem.GatewayException.ProviderError;
import hermit.tenki.wire.RunRequest;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceRunRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Files, programs and streams of one session, whose data plane does not always do what it should. The defects that
/// Tenki's own SDK is known for are asked for here, too.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TenkiGuestTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Kind EXPIRED = new Kind.Answer(16, Map.of(), "session certificate expired");
    private static final Kind NO_ROUTE = new Kind.Answer(404, Map.of(), "404 page not found");

    private TestTenki tenki;
    private TenkiClient client;
    private String id;
    private Guest guest;

    @BeforeAll
    void start() throws Exception {
        tenki = new TestTenki();
        client = tenki.client(settings(Duration.ofSeconds(1)));
        id = tenki.create(client, TestTenki.row()).id();
    }

    private TenkiSettings settings(Duration abortAfter) {
        var usual = TestTenki.settings(Optional.of(new Secret(TestTenki.TOKEN)), tenki.fake.address());
        return new TenkiSettings(
                usual.token(),
                usual.endpoint(),
                usual.callWithin(),
                usual.createWithin(),
                usual.pauseWithin(),
                usual.startWithin(),
                Duration.ofSeconds(10),
                abortAfter);
    }

    @AfterAll
    void stop() {
        tenki.close();
    }

    @BeforeEach
    void enter() throws Exception {
        tenki.fake.faults().clear();
        tenki.fake.journal().clear();
        guest = client.guest(client.find(id).orElseThrow(), TestTenki.config(Map.of()));
    }

    private Guest.Ran sh(String script) throws Exception {
        return guest.run(List.of("sh", "-c", script), PATIENCE);
    }

    /// The lines of a file to which every run of something adds one.
    private long linesOf(String file) throws Exception {
        return tenki.happenings().shell(id, "cat " + file).lines().count();
    }

    /// Written so that it does not find itself.
    private void awaitNoSleepOf(String seconds) throws Exception {
        String count = "n=0; for f in /proc/[0-9]*/cmdline; do case $(tr '\\0' ' ' <$f 2>/dev/null) in" + " *sleep\\ "
                + seconds + "*) n=$((n+1));; esac; done; echo $n";
        while (!tenki.happenings().shell(id, count).equals("0")) Thread.onSpinWait();
    }

    /// From the first start on: before it, what an earlier test's stream was told at its end may still come.
    private List<RunRequest> framesSent() throws Exception {
        var frames = new ArrayList<RunRequest>();
        for (Journal.Entry each : tenki.fake.journal().entries()) {
            boolean start = each.method().equals("POST");
            if (!each.path().endsWith("/Run") || each.method().equals("GONE") || (frames.isEmpty() && !start)) continue;
            frames.add(SandboxSessionDataPlaneServiceRunRequest.parseFrom(
                            Base64.getDecoder().decode(each.body()))
                    .getFrame());
        }
        return frames;
    }

    // --- programs

    @Test
    void a_program_runs_as_root_and_its_code_and_output_come_back() throws Exception {
        assertThat(sh("id -u; pwd; echo no >&2")).isEqualTo(new Guest.Ran(0, "0\n/\n"));
        assertThat(sh("echo out; echo why >&2; exit 3")).isEqualTo(new Guest.Ran(3, "out\nwhy\n"));
    }

    @Test
    void a_program_that_is_not_there_is_told_as_a_shell_would() throws Exception {
        assertThat(guest.run(List.of("/opt/no/such"), PATIENCE).exitCode()).isEqualTo(127);
    }

    @Test
    void its_limit_is_sent_and_its_stdin_is_closed() throws Exception {
        assertThat(guest.run(List.of("cat"), Duration.ofMillis(1_500)).exitCode())
                .isZero();
        var frames = framesSent();
        assertThat(frames.getFirst().getStart().getTimeoutMs()).isEqualTo(1_500);
        assertThat(frames.getFirst().getStart().getPrivileged()).isTrue();
        assertThat(frames).anyMatch(RunRequest::getStdinClose);
    }

    @Test
    void output_is_bounded() throws Exception {
        assertThat(sh("head -c 1000000 /dev/zero | tr '\\0' x").output()).hasSize(64 << 10);
    }

    @Test
    void a_program_whose_time_was_up_has_no_result_whatever_its_code() throws Exception {
        var patient = tenki.client(settings(Duration.ofSeconds(60)));
        guest = patient.guest(patient.find(id).orElseThrow(), TestTenki.config(Map.of()));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> guest.run(List.of("sleep", "60"), Duration.ofSeconds(1)))
                .withMessageContaining("time was up");
        tenki.special("Run", "timed_out_zero");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> guest.run(List.of("sleep", "60"), Duration.ofSeconds(1)))
                .withMessageContaining("time was up");
        tenki.special("Run", "grace_timeout");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> guest.run(List.of("true"), PATIENCE))
                .withMessageContaining("time was up");
    }

    @Test
    void a_guest_that_ignores_the_limit_is_given_up_and_its_program_ends() throws Exception {
        tenki.special("Run", "ignores_timeout");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> guest.run(List.of("sleep", "30072"), Duration.ofSeconds(1)));
        awaitNoSleepOf("30072");
    }

    @Test
    void a_transport_that_is_stalled_is_given_up_after_the_limit() {
        tenki.fault("Run", new Kind.Stall(), 1);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> guest.run(List.of("true"), Duration.ofSeconds(1)));
        assertThat(tenki.calls("Run")).isEqualTo(1);
    }

    @Test
    void a_session_that_was_torn_down_is_no_result() {
        tenki.special("Run", "session_terminated");
        assertThatExceptionOfType(MachineGone.class)
                .isThrownBy(() -> guest.run(List.of("sleep", "60"), PATIENCE))
                .withMessageContaining("session_terminated");
    }

    @Test
    void a_guest_that_does_not_answer_or_cannot_is_an_error() {
        tenki.special("Run", "first_frame_timeout");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> guest.run(List.of("true"), PATIENCE));
        tenki.special("Run", "capability_unavailable");
        assertThatExceptionOfType(ProviderError.class).isThrownBy(() -> guest.run(List.of("true"), PATIENCE));
    }

    // --- what may be asked twice

    @Test
    void an_expired_credential_is_renewed_once_and_the_program_runs_once() throws Exception {
        tenki.fault("Run", EXPIRED, 1);
        assertThat(sh("echo x >> /once").exitCode()).isZero();
        assertThat(linesOf("/once")).isEqualTo(1);
        assertThat(tenki.calls("CreateSessionCredential")).isEqualTo(2);

        tenki.fault("Run", EXPIRED, 2);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> sh("echo x >> /once"));
        assertThat(linesOf("/once")).isEqualTo(1);
    }

    @Test
    void a_program_of_which_output_was_seen_is_never_run_again() throws Exception {
        tenki.special("Run", "unauthenticated_midway");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> sh("echo x >> /midway; echo seen; sleep 30"));
        assertThat(linesOf("/midway")).isEqualTo(1);
        assertThat(tenki.calls("Run")).isEqualTo(1);
    }

    @Test
    void a_stream_into_which_something_was_written_is_never_opened_again() throws Exception {
        tenki.special("Run", "unauthenticated_after_stdin");
        try (var bridge = guest.open(List.of("sh", "-c", "echo x >> /after; cat >/dev/null"))) {
            bridge.out().write("input".getBytes(StandardCharsets.UTF_8));
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> bridge.in().read());
        }
        assertThat(linesOf("/after")).isEqualTo(1);
        assertThat(tenki.calls("Run")).isEqualTo(1);
    }

    @Test
    void a_way_that_is_not_open_yet_is_waited_for() throws Exception {
        tenki.fault("edge", NO_ROUTE, 3);
        assertThat(sh("echo x >> /edge").exitCode()).isZero();
        tenki.fault("Run", new Kind.Special("refused_stream"), 3);
        assertThat(sh("echo x >> /edge").exitCode()).isZero();
        assertThat(linesOf("/edge")).isEqualTo(2);
    }

    @Test
    void a_way_that_never_opens_ends_in_an_error() {
        tenki.fault("edge", NO_ROUTE, 1_000);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> sh("true"))
                .withMessageContaining("cannot be entered yet");
    }

    @Test
    void a_credential_that_is_not_ready_is_asked_for_again() throws Exception {
        tenki.fault("CreateSessionCredential", new Kind.Special("not_ready"), 3);
        tenki.fault("CreateSessionCredential", new Kind.Answer(9, Map.of(), "session is starting"), 2);
        assertThat(sh("true").exitCode()).isZero();
        assertThat(tenki.calls("CreateSessionCredential")).isEqualTo(6);
    }

    @Test
    void a_way_that_has_failed_is_an_error_at_once() {
        tenki.special("CreateSessionCredential", "failed");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> sh("true"))
                .withMessageContaining("has failed");
        assertThat(tenki.calls("CreateSessionCredential")).isEqualTo(1);
    }

    @Test
    void a_way_that_nobody_has_verified_is_tried_once() throws Exception {
        tenki.special("CreateSessionCredential", "unprobed");
        sh("true");
        sh("true");
        assertThat(tenki.calls("Stat")).isEqualTo(1);
        assertThat(tenki.calls("CreateSessionCredential")).isEqualTo(1);
    }

    // --- files and streams

    @Test
    void a_file_arrives_whole_and_can_be_executed() throws Exception {
        var content = new byte[1_000_003];
        new Random(1).nextBytes(content);
        guest.upload("/home/tenki/new/dir/file", content);
        var expected = MessageDigest.getInstance("SHA-256").digest(content);
        assertThat(tenki.happenings()
                        .shell(id, "stat -c %a /home/tenki/new/dir/file; sha256sum < /home/tenki/new/dir/file"))
                .isEqualTo("755\n%s  -".formatted(HexFormat.of().formatHex(expected)));
    }

    @Test
    void a_file_elsewhere_is_refused() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> guest.upload("/etc/file", new byte[1]))
                .withMessageContaining("PERMISSION_DENIED");
    }

    @Test
    void bytes_pass_unchanged_both_ways_and_a_close_ends_the_program() throws Exception {
        var bytes = new byte[3_000_000];
        new Random(2).nextBytes(bytes);
        try (var bridge = guest.open(List.of("cat"))) {
            var writer = Thread.ofVirtual().start(() -> {
                try {
                    bridge.out().write(bytes);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(bridge.in().readNBytes(bytes.length)).isEqualTo(bytes);
            writer.join();
            assertThat(framesSent().getFirst().getStart().getTimeoutMs()).isZero();
        }
        try (var bridge = guest.open(List.of("sleep", "30073"))) {
            assertThat(bridge.in()).isNotNull();
        }
        awaitNoSleepOf("30073");
    }

    @Test
    void a_close_ends_a_read_that_waits() throws Exception {
        var bridge = guest.open(List.of("sleep", "30074"));
        var reader = Thread.ofVirtual().unstarted(() -> {
            try {
                assertThat(bridge.in().read()).isNegative();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("closed here");
            }
        });
        reader.start();
        bridge.close();
        bridge.close();
        reader.join();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> bridge.out().write(1));
    }

    @Test
    void a_machine_that_talks_without_being_heard_waits() throws Exception {
        try (var bridge = guest.open(List.of(
                "sh",
                "-c",
                "i=0; while [ $i -lt 4000 ]; do" + " head -c 65536 /dev/zero; i=$((i+1)); echo $i > /talked; done"))) {
            assertThat(bridge.in().read()).isZero();
            // What flow control lets pass is a few messages; without it all 250 MB would come.
            while (tenki.happenings()
                    .shell(id, "cat /talked 2>/dev/null || true")
                    .isEmpty()) Thread.onSpinWait();
            String first = "";
            for (String now = talked(); !now.equals(first); now = talked()) first = now;
            assertThat(Integer.parseInt(first)).isLessThan(1_000);
        }
    }

    private String talked() throws Exception {
        return tenki.happenings().shell(id, "cat /talked");
    }

    @Test
    void a_stream_that_is_cut_is_a_failure_and_no_end() throws Exception {
        tenki.fault("Run", new Kind.Cut(1_000), 1);
        try (var bridge = guest.open(List.of("sh", "-c", "head -c 100000 /dev/zero; sleep 60"))) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> bridge.in().readAllBytes())
                    .withMessageContaining("broke");
        }
    }

    // --- the session itself

    @Test
    void a_session_that_is_paused_or_gone_is_told_at_once() throws Exception {
        var other = tenki.create(client, TestTenki.row());
        var into = client.guest(other, TestTenki.config(Map.of()));
        assertThat(into.run(List.of("true"), PATIENCE).exitCode()).isZero();
        tenki.happenings().pause(other.id());
        assertThatExceptionOfType(MachineGone.class).isThrownBy(() -> into.run(List.of("true"), PATIENCE));
        assertThatExceptionOfType(MachineGone.class)
                .isThrownBy(
                        () -> client.guest(other, TestTenki.config(Map.of())).open(List.of("cat")));
        tenki.happenings().terminate(other.id());
        assertThatExceptionOfType(MachineGone.class)
                .isThrownBy(
                        () -> client.guest(other, TestTenki.config(Map.of())).run(List.of("true"), PATIENCE));
        tenki.happenings().forget(other.id());
        assertThatExceptionOfType(MachineGone.class)
                .isThrownBy(
                        () -> client.guest(other, TestTenki.config(Map.of())).upload("/home/tenki/x", new byte[1]));
    }

    @Test
    void the_way_may_lie_below_a_path() throws Exception {
        var settings = TenkiFakeSettings.of(TestTenki.TOKEN, TestTenki.IMAGE).withDataPath("/s/abc/");
        try (var below = new TestTenki(settings)) {
            var there = below.client();
            var machine = below.create(there, TestTenki.row());
            var ran = there.guest(machine, TestTenki.config(Map.of())).run(List.of("echo", "hi"), PATIENCE);
            assertThat(ran).isEqualTo(new Guest.Ran(0, "hi\n"));
        }
    }

    @Test
    void a_credential_is_renewed_at_half_of_its_life() throws Exception {
        var settings = TenkiFakeSettings.of(TestTenki.TOKEN, TestTenki.IMAGE).withCredentialLife(Duration.ofSeconds(4));
        try (var brief = new TestTenki(settings)) {
            var there = brief.client();
            var into = there.guest(brief.create(there, TestTenki.row()), TestTenki.config(Map.of()));
            while (brief.calls("CreateSessionCredential") < 2)
                assertThat(into.run(List.of("true"), PATIENCE).exitCode()).isZero();
        }
    }
}
