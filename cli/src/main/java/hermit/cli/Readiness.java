package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/// Reads what `/ready` answers.
final class Readiness {
    private Readiness() {}

    /// What is not well, in one line.
    static String complaint(JsonNode readiness) {
        var complaints = new ArrayList<String>();
        collect("", readiness, complaints);
        return complaints.isEmpty() ? Details.value(readiness) : String.join("; ", complaints);
    }

    /// Every part that has a `detail` and does not call itself ready.
    private static void collect(String name, JsonNode part, List<String> complaints) {
        boolean well = part.path("ready").asBoolean(false)
                || part.path("state").asText().equals("ok");
        if (!well && part.path("detail").isTextual())
            complaints.add(
                    (name.isEmpty() ? "" : name + ": ") + part.path("detail").asText());
        for (var field : part.properties())
            if (field.getValue().isObject()) collect(field.getKey(), field.getValue(), complaints);
    }
}
