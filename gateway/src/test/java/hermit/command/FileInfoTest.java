package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.problem.GatewayException.ProviderError;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FileInfoTest {
    @Test
    void a_record_says_it_all() {
        var info = FileInfo.of("/root/a", "f 4755 1000 100 5000000000 1234567890123456789\t\t");
        assertThat(info.path()).isEqualTo("/root/a");
        assertThat(info.name()).isEqualTo("a");
        assertThat(info.type()).isEqualTo(FileInfo.Type.FILE);
        assertThat(info.mode()).isEqualTo(04755);
        assertThat(info.uid()).isEqualTo(1000);
        assertThat(info.gid()).isEqualTo(100);
        assertThat(info.size()).isEqualTo(5_000_000_000L);
        assertThat(info.modifiedAt()).isEqualTo(Instant.ofEpochSecond(1_234_567_890, 123_456_789));
        assertThat(info.target()).isEmpty();
    }

    @Test
    void a_link_has_a_target_and_a_time_before_the_epoch_is_a_time() {
        var info = FileInfo.in("/d", "l 777 0 0 3 -1\tname\t../x");
        assertThat(info.path()).isEqualTo("/d/name");
        assertThat(info.target()).contains("../x");
        assertThat(info.modifiedAt()).isEqualTo(Instant.ofEpochSecond(-1, 999_999_999));
        assertThat(FileInfo.in("/", "d 755 0 0 3 0\tname\t").path()).isEqualTo("/name");
    }

    @Test
    void names_are_the_bytes_that_the_record_escapes() {
        String euro = new String("€".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(FileInfo.unescape("a\\x09b\\x5cx41" + euro)).isEqualTo("a\tb\\x41€");
        assertThat(FileInfo.unescape("\u00ff")).isEqualTo("\ufffd");
        assertThat(FileInfo.unescape("\\x\\xg0\\x4")).isEqualTo("\\x\\xg0\\x4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "f 644 0 0 5 0",
                "f 644 0 0 5 0\t",
                "f 644 0 0 5 0\t\t\t",
                "z 644 0 0 5 0\t\t",
                "f 988 0 0 5 0\t\t",
                "f 644 0 0 -5 0\t\t",
                "f 644 0 0 5\t\t",
                "f 644 0 0 99999999999999999999 0\t\t",
                "f 644 x 0 5 0\t\t"
            })
    void what_is_no_record_is_the_sandboxs_fault(String record) {
        assertThatThrownBy(() -> FileInfo.of("/x", record)).isInstanceOf(ProviderError.class);
    }
}
