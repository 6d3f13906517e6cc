package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.problem.GatewayException.Invalid;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FilePathsTest {
    @Test
    void a_relative_path_is_below_the_agent_home_and_an_absolute_one_stays() {
        assertThat(FilePaths.absolute("a/b", "/home/ada", "path")).isEqualTo("/home/ada/a/b");
        assertThat(FilePaths.absolute("/etc/hosts", "/home/ada", "path")).isEqualTo("/etc/hosts");
        assertThat(FilePaths.absolute("a b/ü.txt", "/root", "path")).isEqualTo("/root/a b/ü.txt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"..x", "x..", "...", "a/.../b", "100%", "%41", "%2etc", "a%2fb", "%252e"})
    void names_that_only_look_odd_are_taken(String path) {
        assertThat(FilePaths.absolute(path, "/root", "path")).isEqualTo("/root/" + path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "..",
                "../x",
                "/../x",
                "a/../b",
                "a/..",
                "%2e%2e/x",
                "%2E%2e",
                ".%2e/x",
                "%252e%252e/x",
                "%25252e./x",
                "a/%2e%2e%2fx",
                "..%2fx",
                "..%5cx",
                "a\\b",
                "..\\x",
                "a\0b",
                "a\nb",
                "a\u007fb",
                "a\u0085b"
            })
    void what_could_climb_or_confuse_is_a_mistake_of_the_field(String path) {
        assertThatThrownBy(() -> FilePaths.absolute(path, "/root", "from"))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        e -> assertThat(e.errors().getFirst().path()).isEqualTo("from"));
    }

    @ParameterizedTest
    @CsvSource({
        ".,/root",
        "./a,/root/a",
        "a//./b/.,/root/a/b",
        "a/,/root/a/",
        "./,/root/",
        "/,/",
        "//,/",
        "/./,/",
        "//a///b,/a/b"
    })
    void parts_that_say_nothing_are_left_out_and_a_slash_at_the_end_stays(String path, String absolute) {
        assertThat(FilePaths.absolute(path, "/root", "path")).isEqualTo(absolute);
    }

    @Test
    void a_path_has_a_limit() {
        assertThat(FilePaths.absolute("x".repeat(4_000), "/", "path")).hasSize(4_001);
        assertThatThrownBy(() -> FilePaths.absolute("x".repeat(4_001), "/", "path"))
                .isInstanceOf(Invalid.class);
    }

    @Test
    void two_ways_to_write_one_path_are_the_same() {
        assertThat(FilePaths.same("/root", "/root/")).isTrue();
        assertThat(FilePaths.same("/root", "//./root/.")).isTrue();
        assertThat(FilePaths.same("/root", "/root/x")).isFalse();
    }

    @Test
    void the_name_is_the_last_part() {
        assertThat(FilePaths.name("/a/b.txt")).isEqualTo("b.txt");
        assertThat(FilePaths.name("/a/b/./")).isEqualTo("b");
        assertThat(FilePaths.name("/")).isEqualTo("root");
    }
}
