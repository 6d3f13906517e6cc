package hermit.access;

import hermit.access.SecurityPolicy.Access;
import hermit.access.SecurityPolicy.AutonomyLevel;
import hermit.problem.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// A policy as it is kept. Unlike the documents that callers write and read, it holds the digest of the access token;
/// so it is never shown.
public final class StoredPolicy {
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");

    private StoredPolicy() {}

    public static Map<String, Object> write(SecurityPolicy policy) {
        var document = new LinkedHashMap<String, Object>();
        document.put("access", policy.access().toString());
        document.put("autonomy_level", policy.autonomyLevel().toString());
        document.put("require_approval_for", policy.requireApprovalFor());
        policy.accessTokenSha256().ifPresent(digest -> document.put("access_token_sha256", digest));
        document.put("guests_may_run", policy.guestsMayRun());
        return document;
    }

    /// Throws [hermit.problem.GatewayException.Invalid] if the document was not written by [#write].
    public static SecurityPolicy read(Map<String, Object> document) {
        var fields = Fields.of(document);
        var policy = new SecurityPolicy(
                fields.required("access", fields.word("access", Access.class), Access.PRIVATE),
                fields.required(
                        "autonomy_level", fields.word("autonomy_level", AutonomyLevel.class), AutonomyLevel.READONLY),
                fields.required("require_approval_for", fields.texts("require_approval_for"), List.of()),
                fields.text("access_token_sha256", SHA_256, "a digest in hex"),
                fields.required("guests_may_run", fields.bool("guests_may_run"), false));
        fields.finish();
        return policy;
    }
}
