package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The `hermit` script itself, copied into a checkout whose path has spaces, beside a Java that only says
/// what it was started with.
@DisplayNameGeneration(ReplaceUnderscores.class)
class LauncherTest {
    private record Ended(int code, String out, String err) {}

    private static final Path SOURCES = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    private Path directory;

    private Path root = Path.of("");
    private Path hermit = Path.of("");
    private final Map<String, String> env = new TreeMap<>();

    @BeforeEach
    void checkout() throws IOException {
        root = Files.createDirectories(directory.resolve("check out"));
        hermit = Files.copy(SOURCES.resolve("hermit"), root.resolve("hermit"));
        Files.createDirectory(root.resolve("scripts"));
        try (var scripts = Files.list(SOURCES.resolve("scripts"))) {
            for (Path script : scripts.toList())
                Files.copy(script, root.resolve("scripts").resolve(script.getFileName()));
        }
        Files.writeString(
                root.resolve("pom.xml"), "<project>\n  <version>9.8.7</version>\n  <version>1</version>\n</project>\n");
        env.put("PATH", "/usr/bin:/bin");
        env.put("HOME", directory.toString());
        env.put("HERMIT_JAVA_HOME", jdk("jdk 25", "25.0.3").toString());
    }

    private Path jdk(String name, String version) throws IOException {
        Path jdk = directory.resolve(name);
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"%s\"\n".formatted(version));
        program(
                jdk.resolve("bin/java"),
                "printf '<%s>\\n' \"$@\"\necho \"tty $HERMIT_TTY launcher $HERMIT_LAUNCHER\"\nexit 42");
        program(jdk.resolve("bin/javac"), "exit 0");
        return jdk;
    }

    private void built() throws IOException {
        Path dist = Files.createDirectories(root.resolve("build/dist"));
        Files.writeString(dist.resolve("cli.classpath"), "hermit-cli.jar\njackson.jar\n");
        Files.writeString(dist.resolve("gateway.classpath"), "hermit-gateway.jar\n");
        Files.writeString(dist.resolve("stamp"), "");
    }

    private static void program(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Ended run(Path program, String... args) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(args));
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(env);
        Path err = directory.resolve("stderr");
        Process process = builder.redirectError(err.toFile()).start();
        process.getOutputStream().close();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out, Files.readString(err));
    }

    @Test
    void the_version_needs_no_java_and_no_build() throws Exception {
        env.remove("HERMIT_JAVA_HOME");
        env.put("PATH", "/nonexistent");
        assertThat(run(hermit, "--version")).isEqualTo(new Ended(0, "9.8.7\n", ""));
        assertThat(run(hermit, "-V").out()).isEqualTo("9.8.7\n");
    }

    @Test
    void it_works_through_a_link_and_a_link_to_it() throws Exception {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("first"), Path.of("../check out/hermit"));
        Files.createSymbolicLink(bin.resolve("second"), bin.resolve("first"));
        assertThat(run(bin.resolve("second"), "--version").out()).isEqualTo("9.8.7\n");
    }

    @Test
    void the_command_line_gets_its_class_path_its_arguments_and_hands_on_its_exit_code() throws Exception {
        built();
        var ended = run(hermit, "sandbox", "exec", "--", "a  b", "", "*", "$HOME");
        assertThat(ended.code()).isEqualTo(42);
        assertThat(ended.out())
                .contains("<%1$s/build/dist/lib/hermit-cli.jar:%1$s/build/dist/lib/jackson.jar>".formatted(root))
                .contains("<hermit.cli.Main>\n<sandbox>\n<exec>\n<-->\n<a  b>\n<>\n<*>\n<$HOME>\n")
                .contains("launcher " + hermit);
    }

    @Test
    void every_command_has_the_flags_that_the_cache_was_written_with() throws Exception {
        built();
        assertThat(run(hermit, "sandbox", "shell", "tools").out()).contains("<--enable-native-access=ALL-UNNAMED>");
        assertThat(run(hermit, "agents", "list").out()).contains("<--enable-native-access=ALL-UNNAMED>");
    }

    @Test
    void the_gateway_runs_in_place_of_the_launcher() throws Exception {
        built();
        env.put("HERMIT_GATEWAY_JAVA_OPTIONS", "-Xmx1g -Da=b");
        var ended = run(hermit, "gateway", "run");
        assertThat(ended.code()).isEqualTo(42);
        assertThat(ended.out())
                .contains("<%s/build/dist/lib/hermit-gateway.jar>\n<hermit.Main>\n".formatted(root))
                .contains("<-Xmx1g>\n<-Da=b>\n");
        assertThat(run(hermit, "gateway", "check-config", "--json").out())
                .contains("<hermit.Main>\n<check-config>\n<--json>\n");
        assertThat(run(hermit, "gateway", "run", "--help").out())
                .contains("<hermit.cli.Main>\n<gateway>\n<run>\n<--help>\n");
    }

    @Test
    void a_cache_is_used_where_there_is_one() throws Exception {
        built();
        assertThat(run(hermit, "agents", "list").out()).contains("<-XX:AOTMode=off>");
        Files.writeString(root.resolve("build/dist/cli.aot"), "");
        assertThat(run(hermit, "agents", "list").out())
                .contains("<-XX:AOTCache=%s/build/dist/cli.aot>".formatted(root));
    }

    @Test
    void what_starts_something_is_built_from_newer_sources_and_the_rest_is_not() throws Exception {
        built();
        Path sources = Files.createDirectories(root.resolve("cli/src/main"));
        Files.setLastModifiedTime(root.resolve("build/dist/stamp"), java.nio.file.attribute.FileTime.fromMillis(1000));
        Files.writeString(sources.resolve("New.java"), "");
        env.put("PATH", tools("find", "mkdir", "flock", "id", "cat", "rm") + "");
        assertThat(run(hermit, "agents", "list").code()).isEqualTo(42);
        var ended = run(hermit, "gateway", "start");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.err()).contains("missing here: mvn").contains("apt-get install maven");
        assertThat(run(hermit, "gateway", "status").code()).isEqualTo(42);
    }

    @Test
    void nothing_built_is_built_first() throws Exception {
        env.put("PATH", tools("find", "mkdir", "flock", "id", "cat", "rm") + "");
        var ended = run(hermit, "agents", "list");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).contains("missing here: mvn");
    }

    @Test
    void an_older_java_is_never_used_and_the_way_to_a_newer_one_is_told() throws Exception {
        built();
        env.remove("HERMIT_JAVA_HOME");
        env.put("JAVA_HOME", jdk("jdk 21", "21.0.9").toString());
        env.put("PATH", tools("id", "readlink") + "");
        Path scripts = root.resolve("scripts/jdk.sh");
        Files.writeString(scripts, Files.readString(scripts).replaceFirst("jdk_places='.*'", "jdk_places=''"));
        var ended = run(hermit, "agents", "list");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err())
                .contains("JDK 25 or newer is needed")
                .contains("openjdk-25-jdk-headless")
                .contains("HERMIT_JAVA_HOME");
    }

    @Test
    void the_jdk_that_is_named_is_meant() throws Exception {
        built();
        env.put("HERMIT_JAVA_HOME", jdk("jdk 17", "17.0.1").toString());
        var ended = run(hermit, "agents", "list");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.err()).contains("HERMIT_JAVA_HOME is");
    }

    @Test
    void a_java_home_that_is_new_enough_is_used_else_the_java_on_the_path() throws Exception {
        built();
        env.remove("HERMIT_JAVA_HOME");
        env.put("JAVA_HOME", jdk("jdk 26", "26-ea").toString());
        assertThat(run(hermit, "agents", "list").code()).isEqualTo(42);
        env.remove("JAVA_HOME");
        Path scripts = root.resolve("scripts/jdk.sh");
        Files.writeString(scripts, Files.readString(scripts).replaceFirst("jdk_places='.*'", "jdk_places=''"));
        Path tools = tools("readlink");
        Files.createSymbolicLink(tools.resolve("java"), jdk("jdk 25", "25.0.3").resolve("bin/java"));
        env.put("PATH", tools.toString());
        assertThat(run(hermit, "agents", "list").code()).isEqualTo(42);
    }

    /// A machine of root's, without systemd's help: `docker` and `dockerd` are scripts.
    private Path machine(String docker, String dockerd) throws IOException {
        built();
        Path tools = tools("mkdir", "uname", "rm", "cat", "touch", "grep", "find", "nohup", "setsid", "tail", "env");
        program(tools.resolve("id"), "echo 0");
        program(tools.resolve("iptables"), "exit 0");
        program(tools.resolve("systemctl"), "touch \"$HOME/engine\"");
        program(tools.resolve("docker"), "echo \"docker $*\" >>\"$HOME/calls\"\n" + docker);
        program(tools.resolve("dockerd"), dockerd);
        program(tools.resolve("sleep"), "exit 0");
        env.put("PATH", tools.toString());
        Path cache = Files.createDirectories(directory.resolve(".cache/hermit"));
        var machine = new ProcessBuilder("uname", "-m").start();
        var name = new String(machine.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        Files.writeString(cache.resolve("base-bookworm-%s.tar.gz".formatted(name)), "");
        return tools;
    }

    private String calls() throws IOException {
        return Files.readString(directory.resolve("calls"));
    }

    @Test
    void an_engine_is_started_where_none_answers() throws Exception {
        machine("[ -f \"$HOME/engine\" ]", "touch \"$HOME/engine\"");
        var ended = run(hermit, "base-image");
        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.err())
                .containsAnyOf("starting dockerd", "systemctl start docker")
                .contains("is there");
    }

    @Test
    void an_engine_that_does_not_come_up_is_told_with_its_last_words() throws Exception {
        machine("exit 1", "echo 'failed to start: no iptables'; exit 1");
        program(directory.resolve("tools/systemctl"), "echo no units >&2; exit 1");
        var ended = run(hermit, "base-image");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.err()).containsAnyOf("failed to start: no iptables", "systemctl could not start Docker");
    }

    @Test
    void who_is_not_root_is_told_what_is_missing() throws Exception {
        Path tools = machine("exit 1", "exit 1");
        program(tools.resolve("id"), "echo 1000");
        Files.delete(tools.resolve("docker"));
        var ended = run(hermit, "quickstart");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.err()).contains("missing here: docker").contains("apt-get install docker.io");
    }

    @Test
    void quickstart_takes_the_usual_image_where_it_is() throws Exception {
        machine("exit 0", "exit 1");
        assertThat(run(hermit, "quickstart").out()).contains("<quickstart>\n<--image>\n<ubuntu:24.04>\n");
        assertThat(calls()).doesNotContain("pull");
    }

    @Test
    void quickstart_without_a_registry_says_so_and_uses_an_image_made_here() throws Exception {
        machine("case $1 in version | import) exit 0 ;; *) exit 1 ;; esac", "exit 1");
        var ended = run(hermit, "quickstart", "--json");
        assertThat(ended.out()).contains("<quickstart>\n<--json>\n<--image>\n<hermit-base:bookworm>\n");
        assertThat(ended.err()).contains("ubuntu:24.04 cannot be pulled here");
        assertThat(calls()).contains("docker pull -q ubuntu:24.04").contains("docker import");
    }

    @Test
    void quickstart_leaves_an_image_alone_that_the_caller_names() throws Exception {
        machine("[ \"$1\" = version ]", "exit 1");
        assertThat(run(hermit, "quickstart", "--image", "mine:1").out())
                .contains("<quickstart>\n<--image>\n<mine:1>\ntty");
        assertThat(calls()).doesNotContain("pull").doesNotContain("inspect");
    }

    /// A folder with these programs and no others.
    private Path tools(String... names) throws IOException {
        Path tools = Files.createDirectory(directory.resolve("tools"));
        for (String name : names)
            Files.createSymbolicLink(
                    tools.resolve(name),
                    Files.exists(Path.of("/usr/bin", name)) ? Path.of("/usr/bin", name) : Path.of("/bin", name));
        return tools;
    }
}
