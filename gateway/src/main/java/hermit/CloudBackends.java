package hermit;

import hermit.config.CloudSettings;
import java.util.Map;
import java.util.TreeMap;

/// The clouds, as part of the composition root. No class of theirs is loaded before the first of their sandboxes is
/// used.
final class CloudBackends {
    private CloudBackends() {}

    /// What the operator would have to set, for each cloud that has no credential.
    static Map<String, String> notConfigured(CloudSettings settings) {
        var missing = new TreeMap<String, String>();
        if (settings.e2b().apiKey().isEmpty()) missing.put("e2b", "E2B_API_KEY is not set");
        if (settings.daytona().apiKey().isEmpty()) missing.put("daytona", "DAYTONA_API_KEY is not set");
        if (settings.tenki().token().isEmpty()) missing.put("tenki", "TENKI_API_KEY is not set");
        return missing;
    }
}
