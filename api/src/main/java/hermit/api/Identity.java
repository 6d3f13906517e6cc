package hermit.api;

import java.util.Optional;

/// Who somebody is on a channel.
public record Identity(String channel, String channelUserId, Optional<String> displayName) {}
