package hermit.session;

import hermit.access.Caller;
import hermit.identity.UserId;
import java.util.Optional;
import java.util.UUID;

/// Who says or does something in a session, and whose it is. Named like the [Caller] who is the same.
public sealed interface Author {
    /// Whoever holds the gateway's admin token.
    record Admin() implements Author {}

    /// A person, by a token of theirs or through a channel that vouches for them.
    record Person(UserId id) implements Author {}

    /// The programs of an agent, which are all one.
    record Program(UUID agentUid) implements Author {}

    /// `admin`, `user:ID` or `agent:UID`.
    default String name() {
        return switch (this) {
            case Admin _ -> "admin";
            case Person(UserId id) -> "user:" + id;
            case Program(UUID uid) -> "agent:" + uid;
        };
    }

    /// `admin`, `user` or `agent`.
    default String kind() {
        return switch (this) {
            case Admin _ -> "admin";
            case Person _ -> "user";
            case Program _ -> "agent";
        };
    }

    default Optional<UserId> person() {
        return this instanceof Person(UserId id) ? Optional.of(id) : Optional.empty();
    }

    /// Of those who can speak for themselves. A channel cannot: it speaks for somebody.
    static Optional<Author> of(Caller caller) {
        return switch (caller) {
            case Caller.Admin _ -> Optional.of(new Admin());
            case Caller.Person person -> Optional.of(new Person(person.id()));
            case Caller.Program program -> Optional.of(new Program(program.agentUid()));
            case Caller.Channel _, Caller.Anonymous _ -> Optional.empty();
        };
    }

    /// From what was kept: [#kind] and [#person].
    static Author of(String kind, Optional<UserId> person, UUID agentUid) {
        return switch (kind) {
            case "admin" -> new Admin();
            case "user" -> new Person(person.orElseThrow());
            case "agent" -> new Program(agentUid);
            default -> throw new IllegalStateException("no author of kind " + kind);
        };
    }
}
