package hermit.approval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RememberableTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "git status",
                "cd d && ls",
                "echo 'a b' | sort | uniq -c",
                "ls -la > out.txt",
                "npm test -- --grep 'find sh'",
                "[ -f x ] && cat x",
                "if true; then echo yes; fi"
            })
    void a_command_that_says_what_it_does_may_be_remembered(String command) {
        assertThat(Rememberable.refusal("exec", Map.of("command", command))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sh -c whoami",
                "sh s.sh",
                "/bin/bash -lc id",
                "\"sh\" -c id",
                "\\sh -c id",
                "env X=1 ls",
                "X=1 ls",
                "sudo ls",
                "timeout 5 ls",
                "ls | xargs rm",
                "ls && python3 x.py",
                "python3.12 -c 1",
                "perl -e 1",
                "node -e 1",
                "echo $(bash x)",
                "echo `bash x`",
                "ls\nbash x",
                "(eval x)",
                "! sh x",
                "while sh x; do :; done",
                "find . -exec rm {} +",
                ". ./x",
                "make",
                "ssh host ls",
                "exec ls"
            })
    void one_that_runs_whatever_something_holds_may_not(String command) {
        assertThat(Rememberable.refusal("exec", Map.of("command", command))).isPresent();
    }

    @Test
    void an_argument_list_is_judged_by_its_program() {
        assertThat(Rememberable.refusal("exec_background", Map.of("argv", List.of("git", "sh"))))
                .isEmpty();
        assertThat(Rememberable.refusal("exec", Map.of("argv", List.of("/usr/bin/env", "git"))))
                .isPresent();
    }

    @Test
    void only_commands_are_remembered() {
        assertThat(Rememberable.refusal("write_file", Map.of("path", "x"))).isPresent();
    }
}
