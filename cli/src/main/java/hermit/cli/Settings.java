package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import hermit.cli.Launcher.Outcome;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/// The gateway's settings in `HERMIT_HOME`. Whether they are right is decided by the gateway's own program, so
/// there is one set of rules.
record Settings(HermitHome home, Launcher launcher) {

    /// What is in force: the file, and defaults for all that it does not say. Without secrets.
    JsonNode effective() throws CliFailure, InterruptedException {
        Outcome outcome =
                launcher.run(Map.of("HERMIT_HOME", home.root().toString()), "gateway", "check-config", "--json");
        if (outcome.exitCode() != 0) throw refused(outcome);
        try {
            return JsonTree.parse(outcome.out());
        } catch (JsonProcessingException e) {
            throw CliFailure.local("config", "The gateway's program printed no JSON: " + e.getOriginalMessage());
        }
    }

    /// Every mistake in them, one a line; empty if there is none.
    List<String> mistakes() throws CliFailure, InterruptedException {
        Outcome outcome = launcher.run(Map.of("HERMIT_HOME", home.root().toString()), "gateway", "check-config");
        if (outcome.exitCode() == 0) return List.of();
        // A line that says where, then one for each mistake, set off by two spaces.
        var mistakes = outcome.err()
                .lines()
                .filter(line -> line.startsWith("  "))
                .map(String::strip)
                .toList();
        return mistakes.isEmpty() ? List.of(outcome.err().strip()) : mistakes;
    }

    /// Changes one value. The new file takes the old one's place only after the gateway's program has found it
    /// right.
    void set(String path, JsonNode value) throws CliFailure, InterruptedException {
        ObjectNode changed = with(home.document(), path, value);
        try {
            var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            Files.createDirectories(home.root(), ownerOnly);
            // Inside the home, so that the last step is a rename within one file system.
            Path trial = Files.createTempDirectory(home.root(), ".config-trial-", ownerOnly);
            try {
                tryOut(new HermitHome(trial), changed);
            } finally {
                deleteTree(trial);
            }
        } catch (IOException e) {
            throw CliFailure.local("config", "write %s: %s".formatted(home.config(), e.getMessage()));
        }
    }

    private void tryOut(HermitHome trial, ObjectNode changed) throws IOException, CliFailure, InterruptedException {
        Files.writeString(trial.config(), JsonTree.pretty(changed) + "\n");
        // Some rules look at the secrets too: listening to the world asks for an admin token.
        if (Files.exists(home.secrets()))
            Files.copy(home.secrets(), trial.secrets(), StandardCopyOption.COPY_ATTRIBUTES);
        Outcome outcome = launcher.run(Map.of("HERMIT_HOME", trial.root().toString()), "gateway", "check-config");
        if (outcome.exitCode() != 0)
            throw refused(new Outcome(
                    outcome.exitCode(),
                    outcome.out(),
                    outcome.err().replace(trial.root().toString(), home.root().toString())));
        if (Files.exists(home.config()))
            Files.setPosixFilePermissions(trial.config(), Files.getPosixFilePermissions(home.config()));
        try {
            Files.move(trial.config(), home.config(), StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw CliFailure.local(
                    "config", "%s cannot be replaced in one step: %s".formatted(home.config(), e.getMessage()));
        }
    }

    static void deleteTree(Path directory) throws IOException {
        List<Path> paths;
        try (var walk = Files.walk(directory)) {
            paths = walk.sorted((a, b) -> b.compareTo(a)).toList();
        }
        for (Path path : paths) Files.deleteIfExists(path);
    }

    private static CliFailure refused(Outcome outcome) {
        // Its own name is put before every message here.
        var mistakes = outcome.err().strip().replaceFirst("^hermit: ", "");
        return outcome.exitCode() == ExitCode.CONFIG
                ? new CliFailure(ExitCode.CONFIG, "config", mistakes)
                : CliFailure.local(
                        "config", "check the configuration: exit code %d\n%s".formatted(outcome.exitCode(), mistakes));
    }

    /// The value at a path such as `server.port`; missing where there is none.
    static JsonNode at(JsonNode document, String path) {
        JsonNode here = document;
        for (String name : path.split("\\.", -1)) here = here.path(name);
        return here;
    }

    /// The document with another value at this path.
    static ObjectNode with(JsonNode document, String path, JsonNode value) throws CliFailure {
        ObjectNode root = document instanceof ObjectNode object ? object.deepCopy() : JsonTree.object();
        String[] names = path.split("\\.", -1);
        ObjectNode here = root;
        for (int i = 0; i < names.length - 1; i++) {
            JsonNode next = here.path(names[i]);
            if (next.isMissingNode() || next.isNull()) here = here.putObject(names[i]);
            else if (next instanceof ObjectNode object) here = object;
            else throw CliFailure.usage("%s: '%s' is a value, not a block".formatted(path, names[i]));
        }
        here.set(names[names.length - 1], value);
        return root;
    }
}
