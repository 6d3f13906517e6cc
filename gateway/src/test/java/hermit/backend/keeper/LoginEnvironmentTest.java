package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class LoginEnvironmentTest {
    @Test
    void entries_may_span_lines_and_contain_equals_signs() {
        assertThat(parse("A=1\0B=x=y\nz\0", Map.of())).contains(Map.of("A", "1", "B", "x=y\nz"));
    }

    @Test
    void what_a_profile_prints_is_no_part_of_a_name() {
        assertThat(parse("Welcome!\nA=1\0B=2\0", Map.of())).contains(Map.of("A", "1", "B", "2"));
    }

    @Test
    void programs_of_the_image_stay_reachable_behind_those_of_the_profile() {
        assertThat(parse("PATH=/usr/bin:/bin\0", Map.of("PATH", "/opt/java/bin:/usr/bin")))
                .contains(Map.of("PATH", "/usr/bin:/bin:/opt/java/bin"));
    }

    @Test
    void what_the_shell_keeps_for_itself_is_left_out() {
        assertThat(parse("A=1\0PWD=/\0OLDPWD=/x\0SHLVL=1\0_=/opt/hermit/keeper\0", Map.of()))
                .contains(Map.of("A", "1"));
    }

    @Test
    void what_is_no_text_is_left_out() {
        byte[] printed = "A=1\0B=?\0".getBytes(StandardCharsets.UTF_8);
        printed[6] = (byte) 0xff;
        assertThat(LoginEnvironment.parse(printed, Map.of())).contains(Map.of("A", "1"));
    }

    @Test
    void nothing_or_half_of_something_is_no_environment() {
        assertThat(parse("", Map.of())).isEmpty();
        assertThat(parse("A=1\0B=", Map.of())).isEmpty();
        assertThat(parse("command not found\n", Map.of())).isEmpty();
    }

    private static Optional<Map<String, String>> parse(String printed, Map<String, String> base) {
        return LoginEnvironment.parse(printed.getBytes(StandardCharsets.UTF_8), base);
    }
}
