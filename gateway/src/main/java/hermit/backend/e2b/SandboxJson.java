package hermit.backend.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.backend.cloud.CloudMachine;
import hermit.exec.LiveState.State;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads what the control plane says of a sandbox. Unknown fields and states are no mistake.
final class SandboxJson {
    /// Keys of [CloudMachine#access].
    static final String TOKEN = "token";

    static final String DOMAIN = "domain";
    static final String DAEMON = "daemon";

    /// It becomes part of paths and host names.
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,127}");

    private SandboxJson() {}

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /// As info and list have it; empty if it is no description of a sandbox.
    static Optional<CloudMachine> described(JsonNode node) {
        return id(node).map(id -> {
            String word = node.path("state").asText("");
            return new CloudMachine(
                    id, state(word), word, texts(node.path("metadata")), time(node.path("startedAt")), access(node));
        });
    }

    /// As create and connect answer: it runs.
    static Optional<CloudMachine> running(JsonNode node, Map<String, String> marks, Optional<Instant> createdAt) {
        return id(node).map(id -> new CloudMachine(id, State.RUNNING, "running", marks, createdAt, access(node)));
    }

    /// The provider has two words today. Others that it may come to have are taken by their sense.
    static State state(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "running" -> State.RUNNING;
            case "paused" -> State.PAUSED;
            case "starting", "creating", "resuming" -> State.STARTING;
            case "pausing", "snapshotting", "stopping" -> State.STOPPING;
            case "error", "failed", "killed", "killing" -> State.ERROR;
            default -> State.UNKNOWN;
        };
    }

    private static Optional<String> id(JsonNode node) {
        return Optional.of(node.path("sandboxID").asText("")).filter(SandboxJson::isId);
    }

    private static Map<String, String> access(JsonNode node) {
        var access = new HashMap<String, String>();
        put(access, TOKEN, node.path("envdAccessToken"));
        put(access, DOMAIN, node.path("domain"));
        put(access, DAEMON, node.path("envdVersion"));
        return access;
    }

    private static void put(Map<String, String> map, String key, JsonNode value) {
        if (value.isTextual() && !value.asText().isBlank()) map.put(key, value.asText());
    }

    private static Map<String, String> texts(JsonNode object) {
        var texts = new HashMap<String, String>();
        object.properties().forEach(each -> put(texts, each.getKey(), each.getValue()));
        return texts;
    }

    private static Optional<Instant> time(JsonNode node) {
        try {
            return node.isTextual()
                    ? Optional.of(OffsetDateTime.parse(node.asText()).toInstant())
                    : Optional.empty();
        } catch (DateTimeException _) {
            return Optional.empty();
        }
    }
}
