package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.exec.Command.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class CommandLineTest {
    /// Longer than one argument may be.
    private static final int LONG = 300_000;

    @Test
    void an_argument_list_stays_as_it_is() {
        assertThat(CommandLine.of(new Program.Argv(List.of("ls", "-l", "a b")))).containsExactly("ls", "-l", "a b");
    }

    @Test
    void a_short_script_is_one_argument() {
        assertThat(CommandLine.of(new Program.Shell("echo $0"))).containsExactly("sh", "-c", "echo $0");
    }

    @Test
    void each_piece_of_a_long_script_fits_into_an_argument_and_is_valid_text() {
        String script = ": " + "a€\uD83D\uDE00".repeat(100_000);
        var argv = CommandLine.of(new Program.Shell(script));

        assertThat(argv.subList(4, argv.size())).allSatisfy(piece -> {
            byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
            assertThat(bytes.length).isLessThanOrEqualTo(CommandLine.PIECE);
            assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(piece);
        });
        assertThat(String.join("", argv.subList(4, argv.size()))).isEqualTo(script);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dash", "bash"})
    void a_long_script_runs_byte_for_byte(String shell) throws Exception {
        String text = "a€\uD83D\uDE00 'x' \\ $ \"y\"  ".repeat(LONG / 20);
        String quoted = "'" + text.replace("'", "'\\''") + "'";
        assertThat(run(shell, "printf %s " + quoted)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dash", "bash"})
    void a_long_script_finds_the_world_as_a_short_one_does(String shell) throws Exception {
        String script = """
                printf '%s|' "$0" "$#" "$*" "$?" "$LINENO"; printf '%s' "$IFS" | od -An -tx1
                OLD=$IFS; IFS=:; set -- $(echo a:b); IFS=$OLD; echo "$1 $2 $#"
                for each in $(echo one two); do echo "<$each>"; done
                cat <<END
                here
                END
                read line; echo "got $line"
                exit 7
                """;
        assertThat(run(shell, script + "#" + "x".repeat(LONG))).isEqualTo(run(shell, script));
        assertThat(run(shell, script)).contains("<two>").contains("got input");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dash", "bash"})
    void a_long_script_gives_its_own_exit_code(String shell) throws Exception {
        assertThat(start(shell, "exit 7 #" + "x".repeat(LONG)).waitFor()).isEqualTo(7);
        assertThat(start(shell, "kill -9 $$ #" + "x".repeat(LONG)).waitFor()).isEqualTo(128 + 9);
    }

    private static String run(String shell, String script) throws IOException {
        var process = start(shell, script);
        try (var stdin = process.outputWriter(StandardCharsets.UTF_8)) {
            stdin.write("input\n");
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("Broken pipe"); // it does not read
        }
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static Process start(String shell, String script) throws IOException {
        var argv = new ArrayList<>(CommandLine.of(new Program.Shell(script)));
        assertThat(argv.getFirst()).isEqualTo("sh");
        // The same arguments for each shell; argv[0] stays sh in a sandbox, where it is what the image calls sh.
        argv.set(0, shell);
        argv.replaceAll(each -> each.equals("sh") ? shell : each);
        return new ProcessBuilder(argv)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
