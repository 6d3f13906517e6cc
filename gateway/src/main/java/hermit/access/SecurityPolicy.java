package hermit.access;

import hermit.problem.Fields;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// An agent's security policy, whole and checked.
///
/// - `requireApprovalFor`: names of tools that ask a person first under `supervised`. `exec` covers every way of
/// running a command.
/// - `accessTokenSha256`: hex digest of the token that lets people join a protected agent; the token itself is not
/// kept.
/// - `guestsMayRun`: whether guests may run code at all.
public record SecurityPolicy(
        Access access,
        AutonomyLevel autonomyLevel,
        List<String> requireApprovalFor,
        Optional<String> accessTokenSha256,
        boolean guestsMayRun) {

    public static final SecurityPolicy DEFAULT =
            new SecurityPolicy(Access.PRIVATE, AutonomyLevel.SUPERVISED, List.of("exec"), Optional.empty(), false);

    private static final Set<String> TOOLS = new LinkedHashSet<>(List.of(
            "exec",
            "exec_background",
            "exec_status",
            "exec_cancel",
            "terminal",
            "read_file",
            "write_file",
            "edit_file",
            "list_files"));
    private static final int MAX_TOKEN = 512;

    public enum Access {
        PUBLIC,
        PROTECTED,
        PRIVATE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public enum AutonomyLevel {
        READONLY,
        SUPERVISED,
        FULL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public SecurityPolicy {
        requireApprovalFor = List.copyOf(requireApprovalFor);
    }

    /// The policy of a new agent: what is silent takes the default. Mistakes are left in `fields`.
    public static SecurityPolicy readNew(Fields fields) {
        var policy = new SecurityPolicy(
                fields.word("access", Access.class).orElse(DEFAULT.access),
                fields.word("autonomy_level", AutonomyLevel.class).orElse(DEFAULT.autonomyLevel),
                tools(fields).orElse(DEFAULT.requireApprovalFor),
                token(fields, Optional.empty()),
                fields.bool("guests_may_run").orElse(false));
        fields.close();
        return policy;
    }

    /// A whole policy that takes the place of this one: every field is required, but for the access token (absent:
    /// unchanged; null: removed) and `guests_may_run` (absent: false).
    /// Mistakes are left in `fields`.
    public SecurityPolicy readReplacement(Fields fields) {
        var policy = new SecurityPolicy(
                fields.required("access", fields.word("access", Access.class), Access.PRIVATE),
                fields.required(
                        "autonomy_level", fields.word("autonomy_level", AutonomyLevel.class), AutonomyLevel.READONLY),
                fields.required("require_approval_for", tools(fields), List.of()),
                token(fields, accessTokenSha256),
                fields.bool("guests_may_run").orElse(false));
        fields.close();
        return policy;
    }

    private static Optional<List<String>> tools(Fields fields) {
        return fields.texts("require_approval_for").map(names -> {
            for (int i = 0; i < names.size(); i++)
                if (!TOOLS.contains(names.get(i)))
                    fields.mistake("require_approval_for[" + i + "]", "is not one of " + String.join(", ", TOOLS));
            return names.stream().distinct().toList();
        });
    }

    private static Optional<String> token(Fields fields, Optional<String> unchanged) {
        if (!fields.has("access_token")) return unchanged;
        if (fields.isNull("access_token")) return Optional.empty();
        return fields.text("access_token").flatMap(token -> {
            if (!token.isBlank() && token.length() <= MAX_TOKEN) return Optional.of(sha256(token));
            fields.mistake("access_token", "must have 1 to %d characters".formatted(MAX_TOKEN));
            return Optional.empty();
        });
    }

    static String sha256(String token) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
