package hermit.identity;

import hermit.problem.Fields;
import java.util.Optional;
import java.util.regex.Pattern;

/// Who somebody is on a channel, e.g. `telegram` and `123456`.
///
/// - `displayName`: how the channel shows them; for people to read, and proves nothing.
public record Identity(String channel, String channelUserId, Optional<String> displayName) {
    public static final Pattern CHANNEL = Pattern.compile("[a-z0-9][a-z0-9_-]{0,62}");
    public static final String CHANNEL_SHAPE =
            "up to 63 lower-case letters, digits, hyphens and underscores, not starting with one of the latter";

    private static final Pattern CHANNEL_USER_ID = Pattern.compile("[!-~]{1,200}");
    private static final int MAX_NAME = 200;

    /// Reads `channel`, `channel_user_id` and `display_name?`; mistakes are left in `fields`.
    public static Identity read(Fields fields) {
        return new Identity(
                fields.required("channel", fields.text("channel", CHANNEL, CHANNEL_SHAPE), ""),
                channelUserId(fields),
                displayName(fields));
    }

    /// Like [#read], where the channel is known already.
    public static Identity readOn(String channel, Fields fields) {
        return new Identity(channel, channelUserId(fields), displayName(fields));
    }

    private static String channelUserId(Fields fields) {
        var given =
                fields.text("channel_user_id", CHANNEL_USER_ID, "1 to 200 printable ASCII characters without spaces");
        return fields.required("channel_user_id", given, "");
    }

    private static Optional<String> displayName(Fields fields) {
        return fields.text("display_name").filter(name -> {
            boolean fine = !name.isBlank() && name.length() <= MAX_NAME;
            if (!fine) fields.mistake("display_name", "must have 1 to %d characters".formatted(MAX_NAME));
            return fine;
        });
    }
}
