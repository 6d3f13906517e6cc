package hermit.backend.daytona;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Guest;
import hermit.backend.cloud.Marks;
import hermit.backend.keeper.Bridge;
import hermit.exec.MachineGone;
import hermit.exec.Progress;
import hermit.fake.Fault;
import hermit.fake.daytona.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Files and programs reach a sandbox, and a terminal of it carries bytes unchanged.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class DaytonaGuestTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /// As the keeper's bridge begins. The mark is not in the line that is typed.
    private static final String RAW = "stty raw -echo; printf 'hermit-bridge%s\\n' -up; ";

    private final DaytonaFixture fixture = DaytonaFixture.start();
    private final HastyScheduler time = new HastyScheduler(fixture.scheduler);
    private final DaytonaClient client =
            new DaytonaClient(fixture.settings(), fixture.instance, time, DaytonaFixture.RANDOM);
    private Guest guest;
    private CloudMachine machine;

    @BeforeAll
    void start() throws Exception {
        machine = make(client, fixture);
        guest = client.guest(machine, DaytonaFixture.config(Map.of()));
    }

    @AfterAll
    void stop() {
        client.close();
        fixture.close();
    }

    @Test
    void a_program_runs_as_the_sandboxes_user_with_its_arguments_and_without_stdin() throws Exception {
        assertThat(run("id", "-un")).isEqualTo(new Guest.Ran(0, "daytona\n"));
        assertThat(run("printf", "[%s]", "a b", "", "it's \"$HOME`id`\n*", "--").output())
                .isEqualTo("[a b][][it's \"$HOME`id`\n*][--]");
        assertThat(run("cat")).isEqualTo(new Guest.Ran(0, ""));
        assertThat(run("sh", "-c", "echo out; echo err >&2; exit 3")).isEqualTo(new Guest.Ran(3, "out\nerr\n"));
        assertThat(run("/no/such/program").exitCode()).isEqualTo(127);
        assertThat(run("head", "-c", "100000", "/dev/zero").output()).hasSize(64 << 10);
    }

    @Test
    void one_that_takes_too_long_is_ended() throws Exception {
        assertThatThrownBy(() -> guest.run(List.of("sleep", "4711"), Duration.ofSeconds(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not done within 1 s");
        assertThat(isAlive("471[1]")).isFalse();
    }

    @Test
    void one_whose_answer_never_comes_is_given_up_in_time() {
        strike("exec", new Fault.Kind.Stall());
        assertThatThrownBy(() -> guest.run(List.of("true"), Duration.ofSeconds(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("none within 6 s");
    }

    @Test
    void a_gateway_that_cuts_it_off_is_no_machine_that_is_gone() {
        strike("exec", new Fault.Kind.Answer(502, Map.of(), ""));
        assertThatThrownBy(() -> run("true")).isInstanceOf(IOException.class).hasMessageContaining("502");
        strike("exec", new Fault.Kind.Lose());
        assertThatThrownBy(() -> run("true")).isInstanceOf(IOException.class);
    }

    @Test
    void a_file_arrives_whole_and_executable() throws Exception {
        byte[] content = new byte[300_000];
        new Random(7).nextBytes(content);
        String path = "/home/daytona/dir with blank/prog";
        guest.upload(path, content);
        assertThat(run("stat", "-c", "%s %a", path).output()).isEqualTo("300000 755\n");
        guest.upload(path, "#!/bin/sh\necho it runs\n".getBytes(StandardCharsets.UTF_8));
        assertThat(run(path).output()).isEqualTo("it runs\n");
        assertThatThrownBy(() -> guest.upload("/proc/nope", content))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/proc/nope");
    }

    @Test
    void a_terminal_carries_every_byte_unchanged_both_ways() throws Exception {
        try (var bridge = open("sh", "-c", RAW + "exec cat")) {
            echoes(bridge, 5 << 20);
        }
    }

    @Test
    void a_daemon_of_before_0_190_is_reached_in_two_steps() throws Exception {
        try (var old = new DaytonaFixture(Settings.of(DaytonaFixture.IMAGE).withOldDaemon());
                var other = old.client()) {
            var there = make(other, old);
            try (var bridge =
                    other.guest(there, DaytonaFixture.config(Map.of())).open(List.of("sh", "-c", RAW + "exec cat"))) {
                echoes(bridge, 100_000);
            }
            assertThat(old.fake.journal().entries())
                    .anyMatch(each -> each.method().equals("POST")
                            && each.path().endsWith("/process/pty")
                            && each.body().contains("\"id\":\"hermit-"));
        }
    }

    @Test
    void a_program_that_does_not_come_up_is_told_with_what_was_said() {
        assertThatThrownBy(() -> open("/no/such/program"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not come up")
                .hasMessageContaining("/no/such/program");
        assertThatThrownBy(() -> open("sh", "-c", "echo hermit-bridge-up; sleep 600"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not come up");
        assertThatThrownBy(() -> open("sh", "-c", "true\ntrue")).isInstanceOf(IOException.class);
    }

    @Test
    void closing_ends_the_program_and_whoever_reads() throws Exception {
        var bridge = open("sh", "-c", RAW + "exec sleep 4712");
        assertThat(isAlive("471[2]")).isTrue();
        var reader = new java.util.concurrent.CompletableFuture<Throwable>();
        Thread.ofVirtual().start(() -> {
            try {
                reader.complete(new AssertionError("read " + bridge.in().read()));
            } catch (IOException e) {
                reader.complete(e);
            }
        });
        bridge.close();
        bridge.close();
        assertThat(reader.get()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> bridge.out().write(1)).isInstanceOf(IOException.class);
        while (isAlive("471[2]")) fixture.scheduler.pause(Duration.ofMillis(100));
    }

    @Test
    void a_stream_that_breaks_is_said_to() throws Exception {
        strike("pty-connect", new Fault.Kind.Cut(100_000));
        try (var bridge = open("sh", "-c", RAW + "exec cat /dev/zero")) {
            assertThatThrownBy(() -> bridge.in().transferTo(java.io.OutputStream.nullOutputStream()))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void who_does_not_read_is_dropped_by_the_daemon_and_not_fed_for_ever() throws Exception {
        try (var bridge = open("sh", "-c", RAW + "exec cat /dev/zero")) {
            long total = 0;
            var in = bridge.in();
            // Nothing is read until the daemon has given up.
            assertThat(in.read()).isZero();
            fixture.scheduler.pause(Duration.ofSeconds(3));
            byte[] buffer = new byte[64 << 10];
            try {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) total += n;
                throw new AssertionError("it ended well");
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("ended");
            }
            assertThat(total).isLessThan(64L << 20);
        }
    }

    @Test
    void a_machine_that_does_not_run_is_said_to_be_gone() throws Exception {
        var other = make(client, fixture);
        var way = client.guest(other, DaytonaFixture.config(Map.of()));
        fixture.fake.strike(other.id(), "stop");
        assertThatThrownBy(() -> way.run(List.of("true"), LIMIT))
                .isInstanceOf(MachineGone.class)
                .hasMessageContaining("stopped");
        assertThatThrownBy(() -> way.open(List.of("true"))).isInstanceOf(MachineGone.class);
        assertThatThrownBy(() -> way.upload("/home/daytona/x", new byte[1])).isInstanceOf(MachineGone.class);
        fixture.fake.strike(other.id(), "delete");
        assertThatThrownBy(() -> way.run(List.of("true"), LIMIT)).isInstanceOf(MachineGone.class);
        assertThatThrownBy(() -> way.open(List.of("true"))).isInstanceOf(MachineGone.class);
    }

    @Test
    void the_keeper_lives_in_the_home_and_its_socket_has_a_short_path() {
        assertThat(DaytonaGuest.lodging("/home/daytona", "id"))
                .isEqualTo(new Guest.Lodging(
                        "/home/daytona/.hermit/keeper",
                        "/home/daytona/.hermit/keeper",
                        "/home/daytona/.hermit/keeper/run/keeper.sock",
                        true));
        String deep = "/home/" + "x".repeat(90);
        assertThat(DaytonaGuest.lodging(deep, "id").socket()).startsWith("/tmp/.hermit-");
        assertThat(DaytonaGuest.lodging("/home/daytona/", "id").program()).isEqualTo("/home/daytona/.hermit/keeper");
    }

    private static void echoes(Bridge bridge, int size) throws Exception {
        byte[] sent = new byte[size];
        new Random(42).nextBytes(sent);
        for (int i = 0; i < 256; i++) sent[i] = (byte) i;
        var writer = Thread.ofVirtual().start(() -> {
            try {
                bridge.out().write(sent);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        assertThat(bridge.in().readNBytes(size)).isEqualTo(sent);
        writer.join();
    }

    /// Whether a program has this among its arguments. As a pattern, so that it does not find itself.
    private boolean isAlive(String pattern) throws Exception {
        return run("sh", "-c", "grep -qs '%s' /proc/[0-9]*/cmdline".formatted(pattern))
                        .exitCode()
                == 0;
    }

    private Bridge open(String... argv) throws Exception {
        return guest.open(List.of(argv));
    }

    private Guest.Ran run(String... argv) throws Exception {
        return guest.run(List.of(argv), LIMIT);
    }

    private static CloudMachine make(DaytonaClient client, DaytonaFixture fixture) throws InterruptedException {
        var spec = DaytonaFixture.spec(DaytonaFixture.config(Map.of()));
        return client.create(spec, Marks.of(fixture.instance, spec, 1), Progress.NONE);
    }

    private void strike(String operation, Fault.Kind kind) {
        fixture.fake.faults().add(new Fault(operation, kind, 1));
    }
}
