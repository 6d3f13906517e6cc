package hermit.backend.daytona;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.exec.CommandBuilder;
import hermit.exec.ExecBackend;
import hermit.exec.Exit;
import hermit.exec.LiveState.State;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.fake.Fault;
import hermit.fake.daytona.Settings;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A sandbox's commands come through what happens to it behind the gateway's back, and to the gateway.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(180)
class DaytonaFailuresTest {
    private final DaytonaFixture fixture = new DaytonaFixture(Settings.of(DaytonaFixture.IMAGE));
    private final MachineSpec spec = DaytonaFixture.spec(DaytonaFixture.config(Map.of()));
    private hermit.backend.cloud.CloudProvider provider;
    private ExecBackend backend;

    @BeforeEach
    void open() {
        provider = fixture.provider();
        backend = provider.open(spec);
    }

    @AfterEach
    void close() {
        backend.close();
        provider.close();
        fixture.close();
    }

    @Test
    void a_sandbox_that_was_stopped_is_started_again_and_keeps_its_files() throws Exception {
        var first = backend.ensure(Progress.NONE);
        run("echo kept >~/kept");
        fixture.fake.strike(first.externalId(), "stop");
        assertThat(backend.observe().state()).isEqualTo(State.STOPPED);
        startFails();
        var again = backend.ensure(Progress.NONE);
        assertThat(again.externalId()).isEqualTo(first.externalId());
        assertThat(again.generation()).isEqualTo(first.generation());
        assertThat(again.notes()).singleElement().asString().contains("has been resumed");
        assertThat(run("cat ~/kept").stdout()).isEqualTo("kept\n");
    }

    @Test
    void one_that_was_deleted_is_made_anew_and_says_so() throws Exception {
        var first = backend.ensure(Progress.NONE);
        fixture.fake.strike(first.externalId(), "delete");
        startFails();
        var again = backend.ensure(Progress.NONE);
        assertThat(again.externalId()).isNotEqualTo(first.externalId());
        assertThat(again.generation()).isEqualTo(first.generation() + 1);
        assertThat(again.notes()).singleElement().asString().contains("was gone");
        assertThat(run("echo up").stdout()).isEqualTo("up\n");
    }

    @Test
    void one_that_is_broken_is_replaced_and_stays_listed() throws Exception {
        var first = backend.ensure(Progress.NONE);
        fixture.fake.strike(first.externalId(), "error");
        var again = backend.ensure(Progress.NONE);
        assertThat(again.externalId()).isNotEqualTo(first.externalId());
        assertThat(again.notes()).singleElement().asString().contains("runner lost the sandbox");
        assertThat(provider.machines())
                .filteredOn(each -> each.id().equals(first.externalId()))
                .singleElement()
                .satisfies(each -> assertThat(each.state()).isEqualTo(State.ERROR));
    }

    @Test
    void a_daemon_that_is_not_there_yet_is_waited_for_and_the_command_runs_once() throws Exception {
        var noAddress = new Fault.Kind.Answer(
                400, Map.of("Content-Type", "application/json"), "{\"message\":\"no IP address found\"}");
        fixture.fake.faults().add(new Fault("work-dir", noAddress, 2));
        fixture.fake.faults().add(new Fault("exec", new Fault.Kind.Answer(502, Map.of(), ""), 1));
        fixture.fake.faults().add(new Fault("exec", noAddress, 1));
        fixture.fake.faults().add(new Fault("pty-connect", new Fault.Kind.Answer(502, Map.of(), ""), 1));
        backend.ensure(Progress.NONE);
        run("echo x >>~/runs");
        assertThat(run("wc -l <~/runs").stdout().strip()).isEqualTo("1");
        assertThat(fixture.fake.sandboxes()).hasSize(1);
    }

    /// As much as the keeper holds while nobody listens; of more, a gap would be said.
    @Test
    void a_stream_that_breaks_again_and_again_loses_nothing_that_is_held() throws Exception {
        var machine = backend.ensure(Progress.NONE);
        backend.close();
        fixture.fake.faults().add(new Fault("pty-connect", new Fault.Kind.Cut(50_000), 3));
        backend = provider.open(DaytonaFixture.after(spec, machine));
        backend.ensure(Progress.NONE);
        var output = new Recording();
        var running = backend.start(
                sh("head -c 200000 /dev/zero | tr '\\0' x; exit 3").build(), output);
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(3));
        byte[] expected = new byte[200_000];
        Arrays.fill(expected, (byte) 'x');
        assertThat(output.stdoutBytes()).isEqualTo(expected);
        assertThat(fixture.fake.journal().entries())
                .filteredOn(each -> each.path().contains("create-connect"))
                .hasSizeGreaterThanOrEqualTo(4);
    }

    @Test
    void a_command_that_is_longer_than_every_limit_of_the_wire_runs_to_its_end() throws Exception {
        backend.ensure(Progress.NONE);
        var output = new Recording();
        var running = backend.start(
                sh("read x; echo $x")
                        .stdin(new hermit.exec.Command.Stdin.Open())
                        .build(),
                output);
        // No request of the provider's exec is under way while it runs: its budget is the keeper's.
        assertThat(fixture.fake.journal().entries())
                .filteredOn(each -> each.path().endsWith("/process/execute"))
                .allMatch(each -> !each.body().contains("read x"));
        running.stdin().write("late\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        running.stdin().flush();
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(output.stdout()).isEqualTo("late\n");
    }

    // --- a gateway that dies in the middle

    @Test
    void a_gateway_that_dies_while_it_makes_a_sandbox_finds_it_again() throws Exception {
        fixture.fake.faults().add(new Fault("boot", new Fault.Kind.Delay(Duration.ofSeconds(3)), 1));
        dieDuring(() -> !fixture.fake.sandboxes().isEmpty());
        var again = restarted(spec).ensure(Progress.NONE);
        assertThat(fixture.fake.sandboxes()).containsExactly(again.externalId());
        assertThat(again.generation()).isEqualTo(1);
        assertThat(run("echo up").stdout()).isEqualTo("up\n");
    }

    @Test
    void a_gateway_that_dies_while_it_resumes_one_finds_it_again() throws Exception {
        var first = backend.ensure(Progress.NONE);
        backend.shutdown();
        fixture.fake.faults().add(new Fault("boot", new Fault.Kind.Delay(Duration.ofSeconds(3)), 1));
        dieDuring(() -> fixture.fake.state(first.externalId()).equals("starting"));
        var again = restarted(DaytonaFixture.after(spec, first)).ensure(Progress.NONE);
        assertThat(again.externalId()).isEqualTo(first.externalId());
        assertThat(fixture.fake.sandboxes()).containsExactly(first.externalId());
        assertThat(run("echo up").stdout()).isEqualTo("up\n");
    }

    @Test
    void a_gateway_that_dies_while_a_command_runs_learns_its_outcome() throws Exception {
        var first = backend.ensure(Progress.NONE);
        var command = sh("echo one; while [ ! -e ~/go ]; do sleep 0.1; done; echo two; exit 5");
        var seen = new Recording();
        backend.start(command.build(), seen);
        seen.awaitStdout("one\n");
        backend.close();
        provider.close();
        var other = restarted(DaytonaFixture.after(spec, first));
        assertThat(other.ensure(Progress.NONE)).isEqualTo(new Machine(first.externalId(), 1, java.util.List.of()));
        var output = new Recording();
        var found = other.attach(command.id(), 0, 0, output).orElseThrow();
        run("touch ~/go");
        assertThat(found.await().exit()).isEqualTo(new Exit.Exited(5));
        assertThat(output.stdout()).isEqualTo("one\ntwo\n");
        assertThat(fixture.fake.sandboxes()).hasSize(1);
    }

    @FunctionalInterface
    private interface Moment {
        boolean hasCome();
    }

    /// Ends the gateway in the middle of an ensure.
    private void dieDuring(Moment moment) throws InterruptedException {
        var outcome = new CompletableFuture<Throwable>();
        var ensuring = Thread.ofVirtual().start(() -> {
            try {
                outcome.complete(new AssertionError("done: " + backend.ensure(Progress.NONE)));
            } catch (InterruptedException | RuntimeException e) {
                outcome.complete(e);
            }
        });
        while (!moment.hasCome()) fixture.scheduler.pause(Duration.ofMillis(20));
        ensuring.interrupt();
        ensuring.join();
        assertThat(outcome.join()).isInstanceOf(InterruptedException.class);
        backend.close();
        provider.close();
    }

    private ExecBackend restarted(MachineSpec row) {
        provider = fixture.provider();
        backend = provider.open(row);
        return backend;
    }

    /// The command has certainly not been started.
    private void startFails() {
        assertThatThrownBy(() -> run("echo never >>~/never")).isInstanceOf(MachineGone.class);
    }

    private Recording run(String script) throws Exception {
        return run(sh(script));
    }

    private Recording run(CommandBuilder command) throws Exception {
        var output = new Recording();
        backend.start(command.build(), output).await();
        return output;
    }
}
