package hermit.tool;

import hermit.command.ExecRequest.Encoding;
import hermit.session.Redaction;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/// Results of tools as they may leave the gateway: without the operator's own secrets, however they are encoded.
/// Nothing else is changed; offsets and sizes are those of what the sandbox has.
final class MaskedResults {
    private final Redaction redaction;

    MaskedResults(Redaction redaction) {
        this.redaction = redaction;
    }

    Map<String, Object> of(Map<String, Object> result) {
        if (!Encoding.BASE64.toString().equals(result.get("encoding"))) return redaction.document(result);
        var shown = new LinkedHashMap<>(result);
        for (String key : new String[] {"stdout", "stderr", "content"})
            if (shown.get(key) instanceof String base64) shown.put(key, encoded(base64));
        return redaction.document(shown);
    }

    private String encoded(String base64) {
        return Base64.getEncoder()
                .encodeToString(redaction.bytes(Base64.getDecoder().decode(base64)));
    }
}
