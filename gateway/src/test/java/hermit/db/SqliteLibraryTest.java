package hermit.db;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.config.DatabaseSettings.Sqlite;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// In a process of its own: the driver loads its library once, and other tests have made it do so.
@DisplayNameGeneration(ReplaceUnderscores.class)
class SqliteLibraryTest {
    @TempDir
    Path directory;

    static final class Opening {
        private Opening() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] arguments) throws Exception {
            try (var database = Database.open(new Sqlite(Path.of(arguments[0])))) {
                System.out.println(database.health().up());
            }
            for (String line : Files.readAllLines(Path.of("/proc/self/maps")))
                if (line.contains("sqlitejdbc")) System.out.println(line.substring(line.indexOf('/')));
        }
    }

    @Test
    void the_library_is_unpacked_once_and_loaded_from_beside_the_database() throws Exception {
        for (int start = 0; start < 2; start++)
            assertThat(open())
                    .startsWith("true")
                    .hasSizeGreaterThan(1)
                    .allMatch(line -> line.equals("true")
                            || line.startsWith(directory.resolve("native").toString()));
        try (var files = Files.walk(directory.resolve("native")).filter(Files::isRegularFile)) {
            assertThat(files).hasSize(1);
        }
    }

    private List<String> open() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Opening.class.getName(),
                        directory.resolve("hermit.db").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            List<String> lines = said.lines().toList();
            assertThat(process.waitFor()).isZero();
            return lines;
        }
    }
}
