package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;

/// Reads what the gateway's `/ready` answers.
final class Readiness {
    enum Status {
        READY,
        /// It works, and some backend cannot be used.
        DEGRADED,
        UNAVAILABLE
    }

    private Readiness() {}

    static Status status(JsonNode readiness) {
        return switch (readiness.path("status").asText()) {
            case "ready" -> Status.READY;
            case "degraded" -> Status.DEGRADED;
            default -> Status.UNAVAILABLE;
        };
    }

    /// The status, and which parts are down and why.
    static String inWords(JsonNode readiness) {
        var down = new ArrayList<String>();
        if (isDown(readiness.path("database"))) down.add("database: " + why(readiness.path("database")));
        for (var backend : readiness.path("backends").properties())
            if (isDown(backend.getValue())) down.add(backend.getKey() + ": " + why(backend.getValue()));
        var status = readiness.path("status").asText("unavailable");
        return down.isEmpty() ? status : "%s (%s)".formatted(status, String.join("; ", down));
    }

    private static boolean isDown(JsonNode part) {
        return part.path("state").asText().equals("down");
    }

    private static String why(JsonNode part) {
        return part.path("detail").asText("down");
    }
}
