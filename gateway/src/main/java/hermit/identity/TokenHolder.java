package hermit.identity;

import java.util.UUID;

/// Whom a token proves its bearer to be.
public sealed interface TokenHolder {
    /// A person.
    record Person(UserId id) implements TokenHolder {}

    /// An adapter that vouches for whoever speaks on its channel, and for nobody else.
    record Channel(String name) implements TokenHolder {}

    /// A program that acts as one agent.
    record Program(UUID agentUid) implements TokenHolder {}

    /// `user`, `channel` or `agent`.
    default String kind() {
        return switch (this) {
            case Person _ -> "user";
            case Channel _ -> "channel";
            case Program _ -> "agent";
        };
    }

    /// How a secret of this kind begins, so that one that has leaked is recognised.
    default String prefix() {
        return switch (this) {
            case Person _ -> "hut_";
            case Channel _ -> "hct_";
            case Program _ -> "hgt_";
        };
    }
}
