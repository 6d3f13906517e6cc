package hermit.audit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/// One link of a gateway's chain.
///
/// - `number`: 1 for the first, without gaps.
/// - `sha256`: over everything else in the record, the digest of the one before included.
public record AuditRecord(UUID gateway, long number, AuditEntry entry, String previousSha256, String sha256) {
    /// Stands for the record before the first.
    public static final String NOTHING_BEFORE = "0".repeat(64);

    /// The next link after one with this number and digest.
    public static AuditRecord after(long number, String previousSha256, UUID gateway, AuditEntry entry) {
        return new AuditRecord(
                gateway, number + 1, entry, previousSha256, digest(gateway, number + 1, entry, previousSha256));
    }

    /// Whether the digest is that of the content.
    public boolean isSound() {
        return sha256.equals(digest(gateway, number, entry, previousSha256));
    }

    /// SHA-256 in hex over `name=LENGTH:value` and a line feed for each field, in this order, the length being that of
    /// the value in UTF-8: no two records have the same text.
    private static String digest(UUID gateway, long number, AuditEntry entry, String previousSha256) {
        var text = new StringBuilder();
        field(text, "previous_sha256", previousSha256);
        field(text, "gateway", gateway.toString());
        field(text, "number", Long.toString(number));
        field(text, "at", entry.at().toString());
        field(text, "who", entry.who());
        field(text, "address", entry.address());
        field(text, "action", entry.action());
        field(text, "agent_uid", entry.agentUid().map(Object::toString).orElse(""));
        field(text, "target", entry.target());
        field(text, "result", entry.result());
        field(text, "request_id", entry.requestId());
        entry.details().forEach((name, value) -> field(text, "details." + name, value));
        return sha256(text.toString());
    }

    private static void field(StringBuilder text, String name, String value) {
        int length = value.getBytes(StandardCharsets.UTF_8).length;
        text.append(name).append('=').append(length).append(':').append(value).append('\n');
    }

    static String sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
