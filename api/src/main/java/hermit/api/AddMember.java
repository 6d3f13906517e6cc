package hermit.api;

import java.util.Optional;
import java.util.UUID;

/// Adds a member: the caller by `accessToken`, or somebody else by id or by identity, with a role.
public record AddMember(
        Optional<String> accessToken,
        Optional<UUID> userId,
        Optional<String> channel,
        Optional<String> channelUserId,
        Optional<String> displayName,
        Optional<String> role) {
    @Override
    public String toString() {
        return "AddMember[userId=%s, channel=%s, role=%s]".formatted(userId, channel, role);
    }
}
