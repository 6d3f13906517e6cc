package hermit.api;

import java.util.UUID;

/// Makes one person out of two; `into` is the one that is left.
public record MergeUser(UUID into) {}
