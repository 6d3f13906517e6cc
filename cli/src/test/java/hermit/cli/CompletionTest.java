package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The script of `hermit completion`, in a real bash.
class CompletionTest extends CliTest {
    /// What bash offers at the end of this line.
    private String offered(String line) throws Exception {
        Path script = home.resolve("completion");
        Files.writeString(script, hermit("completion", "bash").out());
        var words = line.split(" ", -1);
        var bash = "source '%s'; COMP_WORDS=('%s'); COMP_CWORD=%d; _complete_hermit; echo \"${COMPREPLY[@]}\""
                .formatted(script, String.join("' '", words), words.length - 1);
        Process process = new ProcessBuilder("bash", "--norc", "-c", bash)
                // Outside of a completion some of its settings are refused, with a message.
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @ParameterizedTest
    @CsvSource({
        "hermit use,users",
        "hermit users identities r,remove",
        "hermit tokens re,revoke",
        "hermit members se,set",
        "hermit ch,chat",
        "hermit chat --la,--last",
        "hermit sessions ev,events",
        "hermit approvals app,approve",
        "hermit approvals approve --rem,--remember",
        "hermit approvals rules rev,revoke",
        "hermit audit ver,verify",
        "hermit config security wr,write",
        "hermit who,whoami",
    })
    void words_are_completed_however_deep_they_stand(String line, String word) throws Exception {
        assertThat(offered(line)).isEqualTo(word);
    }

    @Test
    void other_shells_have_none() {
        assertThat(hermit("completion", "fish").code()).isEqualTo(2);
        assertThat(hermit("completion", "zsh").out()).contains("bashcompinit");
    }
}
