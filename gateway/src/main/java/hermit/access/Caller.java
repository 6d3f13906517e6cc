package hermit.access;

import hermit.identity.TokenId;
import hermit.identity.UserId;
import java.util.Optional;
import java.util.UUID;

/// Who sends a request, as far as it could be proven.
public sealed interface Caller {
    /// Shown no credential.
    record Anonymous() implements Caller {}

    /// Holds the gateway's admin token.
    record Admin() implements Caller {}

    /// A person, by a token of theirs. `readOnly`: the token changes nothing.
    record Person(UserId id, TokenId token, boolean readOnly) implements Caller {}

    /// An adapter that speaks for people on its channel.
    record Channel(String name, TokenId token) implements Caller {}

    /// A program that acts as an agent.
    record Program(UUID agentUid, TokenId token) implements Caller {}

    /// How records and logs name them: `admin`, `user:ID`, `channel:NAME`, `agent:UID`.
    default String recordedAs() {
        return switch (this) {
            case Anonymous _ -> "anonymous";
            case Admin _ -> "admin";
            case Person person -> "user:" + person.id();
            case Channel channel -> "channel:" + channel.name();
            case Program program -> "agent:" + program.agentUid();
        };
    }

    /// The person, where it is one.
    default Optional<UserId> person() {
        return this instanceof Person person ? Optional.of(person.id()) : Optional.empty();
    }
}
