package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.JsonTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;

/// The command line in this process, with a fake gateway and an empty home.
@DisplayNameGeneration(ReplaceUnderscores.class)
abstract class CliTest {
    /// How a call ended, and what it printed.
    record Ended(int code, ByteArrayOutputStream stdout, String err) {
        String out() {
            return stdout.toString(StandardCharsets.UTF_8);
        }

        /// stdout as the one JSON document that it is; anything before or after it is an error.
        JsonNode json() {
            try {
                return JsonTree.parse(out());
            } catch (JsonProcessingException e) {
                throw new AssertionError("stdout is not one JSON document: <%s>".formatted(out()), e);
            }
        }
    }

    @TempDir
    protected Path home;

    protected final FakeGateway gateway = new FakeGateway();
    protected final Map<String, String> env = new HashMap<>();
    protected final FakeInterrupts interrupts = new FakeInterrupts();
    protected byte[] stdin = new byte[0];
    protected boolean terminal;
    protected final List<Duration> pauses = new CopyOnWriteArrayList<>();
    protected LocalTerminals terminals = LocalTerminals.NONE;
    protected SecretPrompt prompt = SecretPrompt.NONE;

    CliTest() {
        env.put("HERMIT_URL", gateway.url());
        env.put("HERMIT_TOKEN", "secret");
    }

    @AfterEach
    void stopGateway() {
        gateway.close();
    }

    protected Ended hermit(String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int code = hermit(out, err, args);
        return new Ended(code, out, err.toString(StandardCharsets.UTF_8));
    }

    protected int hermit(OutputStream out, OutputStream err, String... args) {
        return new Cli(surroundings(out, err)).run(args);
    }

    protected Surroundings surroundings(OutputStream out, OutputStream err) {
        return surroundings(new ByteArrayInputStream(stdin), out, err);
    }

    protected Surroundings surroundings(InputStream in, OutputStream out, OutputStream err) {
        var variables = new HashMap<>(env);
        variables.putIfAbsent("HERMIT_HOME", home.toString());
        variables.putIfAbsent("HOME", home.toString());
        variables.putIfAbsent("PATH", "/usr/bin:/bin");
        return new Surroundings(
                variables, in, out, err, terminal, terminal, interrupts, pauses::add, terminals, prompt);
    }

    /// What is sent to stdin.
    protected void typed(String text) {
        stdin = text.getBytes(StandardCharsets.UTF_8);
    }

    /// One page of a list, the last one.
    protected static String list(String... items) {
        return "{\"items\":[%s],\"next_cursor\":null}".formatted(String.join(",", items));
    }

    /// A launcher that is this shell script.
    protected Path launcher(String script) throws IOException {
        Path file = home.resolve("launcher");
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        env.put("HERMIT_LAUNCHER", file.toString());
        return file;
    }

    protected void tokenFile(String token, String permissions) throws IOException {
        Path file = home.resolve("admin-token");
        Files.writeString(file, token + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
