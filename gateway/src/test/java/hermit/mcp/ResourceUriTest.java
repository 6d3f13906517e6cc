package hermit.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ResourceUriTest {
    /// The accents come in one piece and in two: to Linux these are two files.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/root/notes.txt",
                "/root/\u00e9.txt",
                "/root/e\u0301.txt",
                "/root/\ud55c\uae00",
                "/root/a b%20c?d#e;f=g&h",
                "/root/[x]{y}|z\\\"<>^`",
                "/root/line\nbreak",
                "/root/\ud83d\ude00",
                "//x"
            })
    void a_path_comes_back_exactly(String path) {
        var uri = new ResourceUri(new Alias("default"), path);
        assertThat(uri.toString()).matches("sandbox://default/[!-~]*");
        assertThat(ResourceUri.parse(uri.toString())).isEqualTo(uri);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "file:///etc/passwd",
                "sandbox:///x",
                "sandbox://default",
                "sandbox://Default/x",
                "sandbox://u@default/x",
                "sandbox://default:1/x",
                "sandbox://default/x?y",
                "sandbox://default/x#y",
                "sandbox://default/a%00b",
                "sandbox://default/a b",
                "sandbox:default/x"
            })
    void what_names_no_file_is_refused(String text) {
        assertThatThrownBy(() -> ResourceUri.parse(text)).isInstanceOf(Invalid.class);
    }
}
