package hermit.backend.tenki;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.exec.CommandBuilder;
import hermit.exec.ExecBackend;
import hermit.exec.Exit;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.fake.Fault.Kind;
import hermit.problem.GatewayException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A gateway that dies in the middle of something, and what happens to machines behind its back: in the end there is
/// one machine, and what became of a command is known.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TenkiRestartTest {
    private final MachineSpec row = TestTenki.row();
    private TestTenki tenki;

    @BeforeEach
    void start() throws Exception {
        tenki = new TestTenki();
    }

    @AfterEach
    void stop() {
        tenki.close();
    }

    private ExecBackend after(Machine machine) {
        return tenki.backend(new MachineSpec(
                row.sandboxId(),
                row.agentUid(),
                row.agentId(),
                row.alias(),
                row.config(),
                machine.generation(),
                Optional.of(machine.externalId())));
    }

    private static String run(ExecBackend on, CommandBuilder command) throws Exception {
        var output = new Recording();
        assertThat(on.start(command.build(), output).await().exit()).isEqualTo(new Exit.Exited(0));
        return output.stdout();
    }

    /// A client that is closed is like a gateway that was killed: nothing is told to anybody any more.
    @Test
    void during_a_create() throws Exception {
        tenki.fault("start", new Kind.Delay(Duration.ofSeconds(3)), 1);
        var dying = tenki.client();
        var creating = Thread.ofVirtual().start(() -> {
            try {
                tenki.create(dying, row);
            } catch (GatewayException | IllegalStateException | InterruptedException e) {
                assertThat(e).isNotNull();
            }
        });
        while (tenki.alive().isEmpty()) Thread.onSpinWait();
        dying.close();
        creating.join();

        try (var next = tenki.backend(row)) {
            next.ensure(Progress.NONE);
            assertThat(run(next, sh("echo hi"))).isEqualTo("hi\n");
        }
        assertThat(tenki.alive()).hasSize(1);
        assertThat(tenki.calls("CreateSession")).isEqualTo(1);
    }

    @Test
    void during_a_resume() throws Exception {
        Machine machine;
        try (var first = tenki.backend(row)) {
            machine = first.ensure(Progress.NONE);
            run(first, sh("echo kept > kept"));
            first.shutdown();
        }
        tenki.fault("restore", new Kind.Delay(Duration.ofSeconds(3)), 1);
        var dying = tenki.client();
        var resuming = Thread.ofVirtual().start(() -> {
            try {
                dying.resume(dying.find(machine.externalId()).orElseThrow(), row.config(), Progress.NONE);
            } catch (GatewayException | IllegalStateException | InterruptedException e) {
                assertThat(e).isNotNull();
            }
        });
        while (!tenki.state(machine.externalId()).equals("RESUMING")) Thread.onSpinWait();
        dying.close();
        resuming.join();

        try (var next = after(machine)) {
            assertThat(next.ensure(Progress.NONE).externalId()).isEqualTo(machine.externalId());
            assertThat(run(next, sh("cat kept"))).isEqualTo("kept\n");
        }
        assertThat(tenki.alive()).hasSize(1);
        assertThat(tenki.calls("ResumeSession")).isEqualTo(1);
    }

    @Test
    void during_a_command() throws Exception {
        var command = sh("echo x >> once; echo before; read line < go; echo after $line")
                .build();
        Machine machine;
        try (var first = tenki.backend(row)) {
            machine = first.ensure(Progress.NONE);
            run(first, sh("mkfifo go"));
            first.start(command, new Recording());
        }
        try (var next = after(machine)) {
            assertThat(next.ensure(Progress.NONE).externalId()).isEqualTo(machine.externalId());
            var output = new Recording();
            var found = next.attach(command.id(), 0, 0, output).orElseThrow();
            run(next, sh("echo on > go"));
            assertThat(found.await().exit()).isEqualTo(new Exit.Exited(0));
            assertThat(output.stdout()).isEqualTo("before\nafter on\n");
            assertThat(run(next, sh("cat once"))).isEqualTo("x\n");
        }
        assertThat(tenki.alive()).hasSize(1);
    }

    @Test
    void a_machine_that_was_paused_under_us_is_resumed_at_the_next_use() throws Exception {
        try (var backend = tenki.backend(row)) {
            var machine = backend.ensure(Progress.NONE);
            run(backend, sh("echo kept > kept"));
            tenki.happenings().pause(machine.externalId());

            assertThatExceptionOfType(MachineGone.class).isThrownBy(() -> run(backend, sh("true")));
            var again = backend.ensure(Progress.NONE);
            assertThat(again.externalId()).isEqualTo(machine.externalId());
            assertThat(again.generation()).isEqualTo(machine.generation());
            assertThat(run(backend, sh("cat kept"))).isEqualTo("kept\n");
        }
    }

    @Test
    void a_machine_that_was_deleted_under_us_is_made_anew_and_that_is_said() throws Exception {
        try (var backend = tenki.backend(row)) {
            var machine = backend.ensure(Progress.NONE);
            tenki.happenings().terminate(machine.externalId());

            assertThatExceptionOfType(MachineGone.class).isThrownBy(() -> run(backend, sh("true")));
            var again = backend.ensure(Progress.NONE);
            assertThat(again.externalId()).isNotEqualTo(machine.externalId());
            assertThat(again.generation()).isEqualTo(machine.generation() + 1);
            assertThat(again.notes()).anyMatch(note -> note.contains("was gone at the provider"));
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
        }
        assertThat(tenki.alive()).hasSize(1);
    }

    @Test
    void a_stream_that_breaks_is_opened_again_and_the_command_goes_on() throws Exception {
        try (var backend = tenki.backend(row)) {
            var machine = backend.ensure(Progress.NONE);
            run(backend, sh("mkfifo go"));
            var output = new Recording();
            var running = backend.start(
                    sh("echo x >> once; echo before; read line < go; echo after")
                            .build(),
                    output);
            output.awaitStdout("before\n");
            tenki.happenings().cutStreams(machine.externalId());
            run(backend, sh("echo on > go"));
            assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
            assertThat(output.stdout()).isEqualTo("before\nafter\n");
            assertThat(run(backend, sh("cat once"))).isEqualTo("x\n");
        }
    }
}
