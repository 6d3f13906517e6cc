package hermit.skill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SkillFolderTest {
    private static final String GOOD = "---\nname: pdf-forms\ndescription: Fills PDF forms.\n---\n# How to\n";

    @TempDir
    private Path directory;

    private Path folder(String manifest) throws IOException {
        Path folder = Files.createDirectories(directory.resolve("pdf-forms"));
        Files.writeString(folder.resolve("SKILL.md"), manifest);
        return folder;
    }

    private static SkillFolder.Found read(Path folder) throws SkillFolder.Unfit {
        return SkillFolder.read(folder, Instant.EPOCH);
    }

    @Test
    void a_skill_is_its_name_its_description_and_all_its_files() throws Exception {
        Path folder = folder(GOOD);
        Files.createDirectory(folder.resolve("scripts"));
        Files.writeString(folder.resolve("scripts/fill.sh"), "echo\n");
        var skill = read(folder).skill();

        assertThat(skill.name()).isEqualTo(new SkillName("pdf-forms"));
        assertThat(skill.description()).isEqualTo("Fills PDF forms.");
        assertThat(skill.files()).isEqualTo(2);
        assertThat(skill.bytes()).isEqualTo(GOOD.length() + 5);
    }

    @Test
    void the_digest_follows_what_is_in_the_files_and_nothing_else() throws Exception {
        Path folder = folder(GOOD);
        String first = read(folder).skill().digest();
        Files.setLastModifiedTime(folder.resolve("SKILL.md"), FileTime.from(Instant.ofEpochSecond(5)));
        assertThat(read(folder).skill().digest()).isEqualTo(first);

        Files.writeString(folder.resolve("more.txt"), "x");
        String second = read(folder).skill().digest();
        assertThat(second).isNotEqualTo(first);
        assertThat(folder.resolve("more.txt").toFile().setExecutable(true)).isTrue();
        assertThat(read(folder).skill().digest()).isNotEqualTo(second);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "no frontmatter|SKILL.md: does not begin",
                "---\\nname: pdf-forms\\ndescription: x|SKILL.md: its frontmatter does not end",
                "---\\nname: pdf-forms\\n---\\n|description: is missing",
                "---\\nname: pdf-forms\\ndescription: ''\\n---\\n|description: is missing",
                "---\\nname: pdf-forms\\ndescription: [a]\\n---\\n|description: is missing, or no text",
                "---\\ndescription: x\\n---\\n|name: is missing",
                "---\\nname: Other\\ndescription: x\\n---\\n|name: must be",
                "---\\nname: other\\ndescription: x\\n---\\n|name: is 'other'",
                "---\\nname: pdf-forms\\ndescription: x\\nversion: 2\\n---\\n|version: is not a field",
                "---\\nname: pdf-forms\\nname: pdf-forms\\ndescription: x\\n---\\n|is no YAML",
                "---\\n- a\\n---\\n|is no mapping",
                "---\\nname: [\\n---\\n|is no YAML",
                "---\\nname: pdf-forms\\ndescription: x\\nmetadata: 5\\n---\\n|metadata: must be",
                "---\\nname: pdf-forms\\ndescription: x\\nmetadata: {a: 5}\\n---\\n|metadata.a: must be a text",
                "---\\nname: pdf-forms\\ndescription: x\\nlicense: 5\\n---\\n|license: is missing, or no text",
            })
    void what_is_wrong_with_a_manifest_is_said_by_its_field(String manifest, String problem) throws Exception {
        Path folder = folder(manifest.replace("\\n", "\n"));
        assertThatExceptionOfType(SkillFolder.Unfit.class)
                .isThrownBy(() -> read(folder))
                .withMessageContaining(problem);
    }

    @Test
    void a_description_has_a_longest_length() throws Exception {
        Path folder = folder("---\nname: pdf-forms\ndescription: %s\n---\n".formatted("x".repeat(1_025)));
        assertThatExceptionOfType(SkillFolder.Unfit.class)
                .isThrownBy(() -> read(folder))
                .withMessageContaining("longer than 1024");
    }

    @Test
    void a_link_is_refused_wherever_it_leads() throws Exception {
        Path folder = folder(GOOD);
        Files.createSymbolicLink(folder.resolve("passwd"), Path.of("/etc/passwd"));
        assertThatExceptionOfType(SkillFolder.Unfit.class)
                .isThrownBy(() -> read(folder))
                .withMessageContaining("passwd: is a link");
    }

    @Test
    void a_manifest_that_is_missing_or_no_text_is_refused() throws Exception {
        Path folder = folder(GOOD);
        Files.write(folder.resolve("SKILL.md"), new byte[] {(byte) 0xFF});
        assertThatExceptionOfType(SkillFolder.Unfit.class)
                .isThrownBy(() -> read(folder))
                .withMessageContaining("not UTF-8");
        Files.delete(folder.resolve("SKILL.md"));
        assertThatExceptionOfType(SkillFolder.Unfit.class)
                .isThrownBy(() -> read(folder))
                .withMessageContaining("there is no SKILL.md");
    }

    @Test
    void too_many_bytes_are_refused() throws Exception {
        Path folder = folder(GOOD);
        Files.write(folder.resolve("big"), new byte[(int) SkillFolder.MOST_BYTES]);
        assertThatExceptionOfType(SkillFolder.Unfit.class)
                .isThrownBy(() -> read(folder))
                .withMessageContaining("more than 8388608 bytes");
    }
}
