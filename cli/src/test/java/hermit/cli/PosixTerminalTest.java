package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/// With a real pseudo-terminal, that of `script`.
@DisplayNameGeneration(ReplaceUnderscores.class)
class PosixTerminalTest {
    /// What is seen on a terminal of 100 columns at which the program runs between two looks at the
    /// terminal's modes.
    private static List<String> seen(String how, String keys) throws IOException, InterruptedException {
        var program = "'%s/bin/java' -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '%s' %s %s"
                .formatted(
                        System.getProperty("java.home"),
                        System.getProperty("java.class.path"),
                        PosixTerminalProgram.class.getName(),
                        how);
        var line = "stty cols 100 rows 30 -echo; echo \"before $(stty -g)\"; " + program
                + "; echo \"code $?\"; stty size; echo \"after $(stty -g)\"";
        Process process = new ProcessBuilder("script", "-q", "-e", "-c", line, "/dev/null")
                .redirectErrorStream(true)
                .start();
        var seen = new StringBuilder();
        try (var out = process.inputReader(StandardCharsets.US_ASCII);
                var in = process.getOutputStream()) {
            for (String each = out.readLine(); each != null; each = out.readLine()) {
                seen.append(each.strip()).append('\n');
                if (each.startsWith("resized")) {
                    in.write(keys.getBytes(StandardCharsets.US_ASCII));
                    in.flush();
                }
            }
        }
        process.waitFor();
        return seen.toString().lines().toList();
    }

    private static String line(List<String> seen, String word) {
        return seen.stream()
                .filter(each -> each.startsWith(word + " "))
                .findFirst()
                .map(each -> each.substring(word.length() + 1))
                .orElseThrow(() -> new AssertionError("no line '%s' in %s".formatted(word, seen)));
    }

    @Test
    void it_is_raw_for_a_while_and_then_what_it_was() throws Exception {
        var seen = seen("stays", "\003");
        assertThat(line(seen, "size")).isEqualTo("100x30");
        assertThat(line(seen, "resized")).isEqualTo("133x41");
        assertThat(line(seen, "keys")).isEqualTo("ctrl-c");
        assertThat(line(seen, "code")).isEqualTo("0");
        assertThat(line(seen, "raw")).isNotEqualTo(line(seen, "before"));
        assertThat(line(seen, "after")).isEqualTo(line(seen, "before"));
    }

    @Test
    void it_is_given_back_when_the_process_is_asked_to_end() throws Exception {
        var seen = seen("killed", "");
        assertThat(line(seen, "code")).isEqualTo("143");
        assertThat(line(seen, "after")).isEqualTo(line(seen, "before"));
    }

    @Test
    void where_stdin_is_no_terminal_there_is_none() {
        // Surefire's is a pipe.
        assertThatThrownBy(PosixTerminal::open).isInstanceOf(CliFailure.class).hasMessageContaining("sandbox exec");
    }
}
