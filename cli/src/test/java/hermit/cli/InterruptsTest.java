package hermit.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class InterruptsTest {
    @Test
    void a_second_ctrl_c_does_not_wait_for_the_work_that_the_first_one_has_asked_to_end() throws Exception {
        // Whoever is started in the background by a shell has the signal ignored, and so have these tests then.
        Process process = new ProcessBuilder(
                        "env",
                        "--default-signal=INT",
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        InterruptsProgram.class.getName())
                .start();
        // Less than the work is waited for.
        boolean left = process.waitFor(Interrupts.LAST_WORDS_SECONDS / 2, TimeUnit.SECONDS);
        if (!left) process.destroyForcibly();
        assertThat(left).isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
        assertThat(new String(process.getInputStream().readAllBytes(), US_ASCII))
                .isEqualTo("asked\n");
    }
}
