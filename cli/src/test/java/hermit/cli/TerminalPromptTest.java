package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/// With a real pseudo-terminal, that of `script`, which shows what is typed.
@DisplayNameGeneration(ReplaceUnderscores.class)
class TerminalPromptTest {
    private static String seen(String how) throws Exception {
        var program = "'%s/bin/java' -XX:TieredStopAtLevel=1 -cp '%s' %s %s"
                .formatted(
                        System.getProperty("java.home"),
                        System.getProperty("java.class.path"),
                        TerminalPromptProgram.class.getName(),
                        how);
        var line = "echo \"before $(stty -g)\"; " + program + "; echo \"code $?\"; echo \"after $(stty -g)\"";
        Process process = new ProcessBuilder("script", "-q", "-e", "-c", line, "/dev/null")
                .redirectErrorStream(true)
                .start();
        var seen = new StringBuilder();
        boolean answered = false;
        try (var out = process.getInputStream();
                var keys = process.getOutputStream()) {
            for (int each = out.read(); each >= 0; each = out.read()) {
                seen.append((char) each);
                if (answered || !seen.toString().endsWith("Token: ")) continue;
                answered = true;
                keys.write("hut_sécret\n".getBytes(StandardCharsets.UTF_8));
                keys.flush();
            }
        }
        process.waitFor();
        return seen.toString().replace("\r", "");
    }

    private static String line(String seen, String word) {
        return seen.lines()
                .filter(each -> each.startsWith(word + " "))
                .findFirst()
                .map(each -> each.substring(word.length() + 1))
                .orElseThrow(() -> new AssertionError("no line '%s' in %s".formatted(word, seen)));
    }

    @Test
    void what_is_typed_is_not_shown_and_the_terminal_is_what_it_was() throws Exception {
        var seen = seen("answered");
        assertThat(line(seen, "answer"))
                .isEqualTo("hut_sécret".chars().boxed().toList().toString());
        assertThat(seen).contains("Token: \nanswer").doesNotContain("cret");
        assertThat(line(seen, "code")).isEqualTo("0");
        assertThat(line(seen, "after")).isEqualTo(line(seen, "before"));
    }

    @Test
    void it_is_given_back_when_the_process_is_asked_to_end() throws Exception {
        var seen = seen("killed");
        assertThat(line(seen, "code")).isEqualTo("143");
        assertThat(line(seen, "after")).isEqualTo(line(seen, "before"));
    }

    @Test
    void where_stdin_is_no_terminal_nothing_is_asked() {
        var prompt = new TerminalPrompt(InputStream.nullInputStream(), OutputStream.nullOutputStream());
        assertThatThrownBy(() -> prompt.ask("Token: "))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("through a pipe");
    }
}
