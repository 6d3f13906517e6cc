package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import hermit.api.JsonTree;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the documentation shows can be typed.
class DocsTest extends CliTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("```(\\w+)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private static List<String> blocks(String language) throws IOException {
        return blocks(language, "docs/cli.md");
    }

    private static List<String> blocks(String language, String page) throws IOException {
        var found = new ArrayList<String>();
        var matcher = BLOCK.matcher(Files.readString(ROOT.resolve(page)));
        while (matcher.find()) if (matcher.group(1).equals(language)) found.add(matcher.group(2));
        return found;
    }

    static List<String> commands() throws IOException {
        return Stream.concat(blocks("bash").stream(), blocks("bash", "docs/connect.md").stream())
                .flatMap(String::lines)
                .filter(line -> line.startsWith("hermit "))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void every_command_of_the_page_is_understood(String line) {
        var words = new ArrayList<String>();
        var matcher = WORD.matcher(line.substring("hermit ".length()));
        while (matcher.find()) words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        var args = words.toArray(String[]::new);
        var surroundings = surroundings(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        var commands = Commands.about(new CliContext(surroundings, new Output(surroundings)), args);
        assertThatCode(() -> commands.parseArgs(args)).doesNotThrowAnyException();
    }

    @Test
    void every_document_of_the_page_is_json() throws Exception {
        assertThat(blocks("json")).isNotEmpty();
        for (String block : blocks("json"))
            assertThat(JsonTree.parse(block).isObject()).isTrue();
    }

    @Test
    void every_exit_code_is_on_the_page() throws Exception {
        var page = Files.readString(ROOT.resolve("docs/cli.md"));
        for (int code : List.of(
                ExitCode.OK,
                ExitCode.REFUSED,
                ExitCode.USAGE,
                ExitCode.UNREACHABLE,
                ExitCode.FAILED,
                ExitCode.LOCAL,
                ExitCode.CONFIG,
                ExitCode.OUTPUT_CLOSED)) assertThat(page).contains("| %d | ".formatted(code));
        assertThat(page).contains("**%d** means".formatted(ExitCode.NOT_RUN));
    }
}
