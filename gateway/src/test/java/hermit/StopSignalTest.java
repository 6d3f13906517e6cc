package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StopSignalTest {
    /// A process that takes long to stop: it does so when it is told to on stdin.
    static final class Slow {
        private Slow() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] arguments) throws InterruptedException, IOException {
            var stop = new StopSignal();
            System.out.println("listening");
            stop.await();
            System.out.println("stopping");
            System.in.read();
            System.out.println("stopped");
            System.exit(0);
        }
    }

    @Test
    void a_second_signal_does_not_disturb_a_stop_that_is_under_way() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Slow.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(said.readLine()).isEqualTo("listening");
            process.toHandle().destroy();
            assertThat(said.readLine()).isEqualTo("stopping");
            process.toHandle().destroy();
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            assertThat(said.readLine()).isEqualTo("stopped");
            assertThat(said.readLine()).isNull();
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
