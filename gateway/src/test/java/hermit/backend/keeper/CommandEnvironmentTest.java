package hermit.backend.keeper;

import static hermit.backend.keeper.LinkFixture.shell;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.exec.Command;
import hermit.exec.Command.Program;
import hermit.exec.MachineGone;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class CommandEnvironmentTest {
    private final LinkFixture fixture = new LinkFixture(new LinkSettings(
            "dev:users",
            "/home/dev",
            Map.of("PATH", "/opt/jdk/bin:/bin", "IMAGE", "1", "TERM", "dumb"),
            Map.of("SANDBOX", "1", "BOTH", "sandbox"),
            "/k/keeper"));
    private final RecordingSink sink = new RecordingSink();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void the_login_shell_is_asked_once_for_each_run_of_the_machine() throws Exception {
        fixture.start(shell("a"), sink);
        var end = fixture.keeper.silentBridge();
        end.loginEnvironment("");
        end.greet();
        var capture = end.expect(FrameType.START);
        assertThat(capture.texts(2)).containsExactly("sh", "-lc", "exec \"$0\" env", "/k/keeper");
        assertThat(capture.texts(4)).containsExactly("/");
        assertThat(capture.texts(5)).containsExactly("dev:users");
        assertThat(capture.number(6)).isEqualTo(10_000);
        assertThat(env(capture))
                .containsEntry("HOME", "/home/dev")
                .containsEntry("USER", "dev")
                .containsEntry("IMAGE", "1")
                .doesNotContainKey("SANDBOX");
        fixture.start(shell("b"), sink); // waits for the same capture
        answer(end, capture.channel(), "PATH=/usr/bin\0LOGIN=1\0");

        for (int i = 0; i < 2; i++) {
            var start = end.expect(FrameType.START);
            assertThat(env(start)).containsEntry("LOGIN", "1");
            end.started(start.channel());
        }
    }

    @Test
    void the_sandbox_and_then_the_command_have_the_last_word() throws Exception {
        fixture.start(command(Map.of("BOTH", "command", "HOME", "/elsewhere", "PAGER", "less")), sink);
        var env = env(bridge("PATH=/usr/bin\0LOGIN=1\0BOTH=login\0").expect(FrameType.START));
        assertThat(env)
                .containsOnly(
                        Map.entry("PATH", "/usr/bin:/opt/jdk/bin:/bin"),
                        Map.entry("LOGIN", "1"),
                        Map.entry("SANDBOX", "1"),
                        Map.entry("BOTH", "command"),
                        Map.entry("HOME", "/elsewhere"),
                        Map.entry("USER", "dev"),
                        Map.entry("LOGNAME", "dev"),
                        Map.entry("PAGER", "less"),
                        Map.entry("GIT_PAGER", "cat"));
    }

    @Test
    void a_terminal_has_a_name_unless_the_caller_gives_one() throws Exception {
        var size = new Command.Terminal(80, 24);
        fixture.start(LinkFixture.terminal(shell("a"), size), sink);
        var end = bridge("TERM=dumb\0");
        assertThat(env(end.expect(FrameType.START))).containsEntry("TERM", "xterm-256color");
        fixture.start(LinkFixture.terminal(command(Map.of("TERM", "vt100")), size), sink);
        assertThat(env(end.expect(FrameType.START))).containsEntry("TERM", "vt100");
    }

    @Test
    void a_login_of_its_own_is_for_one_command_only() throws Exception {
        fixture.start(shell("a"), sink);
        var end = bridge("N=1\0");
        assertThat(env(end.expect(FrameType.START))).containsEntry("N", "1");
        end.loginEnvironment("N=2\0");
        fixture.start(LinkFixture.login(shell("b")), sink);
        assertThat(env(end.expect(FrameType.START))).containsEntry("N", "2");
        fixture.start(shell("c"), sink);
        assertThat(env(end.expect(FrameType.START))).containsEntry("N", "1");
    }

    @Test
    void a_machine_that_restarted_is_asked_anew() throws Exception {
        fixture.start(shell("a"), sink);
        var end = bridge("N=1\0");
        end.refused(end.expect(FrameType.START).channel(), Refusal.Code.TOO_MANY);
        fixture.keeper.reboot();
        fixture.scheduler.advance(Duration.ofSeconds(1));
        end.close();
        Waiting.until(() -> !fixture.link.isConnected());
        fixture.start(shell("b"), sink);
        assertThat(env(bridge("N=2\0").expect(FrameType.START))).containsEntry("N", "2");
    }

    @Test
    void without_a_login_shell_the_environment_is_the_images() throws Exception {
        fixture.start(shell("a"), sink);
        var end = fixture.keeper.silentBridge();
        end.loginEnvironment("");
        end.greet();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        end.exited(channel, 127, 0);
        assertThat(env(end.expect(FrameType.START)))
                .containsEntry("PATH", "/opt/jdk/bin:/bin")
                .containsEntry("IMAGE", "1")
                .containsEntry("HOME", "/home/dev")
                .containsEntry("SANDBOX", "1");
    }

    @Test
    void a_login_shell_that_hangs_is_left_after_ten_seconds() throws Exception {
        fixture.start(shell("a"), sink);
        var end = fixture.keeper.silentBridge();
        end.loginEnvironment("");
        end.greet();
        end.started(end.expect(FrameType.START).channel());
        fixture.scheduler.awaitTaskWithin(CommandEnvironment.CAPTURE_WITHIN);
        fixture.scheduler.advance(CommandEnvironment.CAPTURE_WITHIN);
        end.expect(FrameType.DETACH); // its own deadline ends it
        assertThat(env(end.expect(FrameType.START))).containsEntry("IMAGE", "1");
    }

    @Test
    void a_machine_that_goes_away_meanwhile_is_gone_for_all_who_wait() throws Exception {
        var first = fixture.start(shell("a"), sink);
        var end = fixture.keeper.silentBridge();
        end.loginEnvironment("");
        end.greet();
        end.expect(FrameType.START);
        var second = fixture.start(shell("b"), sink);
        fixture.keeper.gone("removed");
        fixture.scheduler.advance(Duration.ofSeconds(1));
        end.close();

        for (var each : List.of(first, second))
            Assertions.assertThatExceptionOfType(MachineGone.class)
                    .isThrownBy(each::get)
                    .withMessage("removed");
    }

    private KeeperEnd bridge(String loginEnvironment) throws InterruptedException {
        var end = fixture.keeper.silentBridge();
        end.loginEnvironment(loginEnvironment);
        return end.greet();
    }

    private static void answer(KeeperEnd end, int channel, String printed) {
        end.started(channel);
        end.output(channel, 1, 0, printed);
        end.exited(channel, 0, printed.length());
    }

    private static Command command(Map<String, String> env) {
        return LinkFixture.command(new Program.Shell("x"), env);
    }

    private static Map<String, String> env(KeeperEnd.Sent start) {
        var env = new HashMap<String, String>();
        for (String entry : start.texts(3)) {
            int equals = entry.indexOf('=');
            env.put(entry.substring(0, equals), entry.substring(equals + 1));
        }
        return env;
    }
}
