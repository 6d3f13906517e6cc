package hermit.identity.http;

import hermit.identity.Token;
import hermit.identity.TokenHolder;
import hermit.identity.User;
import java.util.Optional;
import java.util.UUID;

/// People and tokens as they travel.
public final class UserJson {
    private UserJson() {}

    public static hermit.api.User user(User user) {
        var identities = user.identities().stream()
                .map(each -> new hermit.api.Identity(each.channel(), each.channelUserId(), each.displayName()))
                .toList();
        return new hermit.api.User(user.id().value(), user.name(), identities, user.createdAt());
    }

    public static hermit.api.Token token(Token token) {
        TokenHolder holder = token.holder();
        Optional<UUID> user = holder instanceof TokenHolder.Person(var id) ? Optional.of(id.value()) : Optional.empty();
        Optional<String> channel =
                holder instanceof TokenHolder.Channel(var name) ? Optional.of(name) : Optional.empty();
        Optional<UUID> agent = holder instanceof TokenHolder.Program(var uid) ? Optional.of(uid) : Optional.empty();
        return new hermit.api.Token(
                token.id().value(),
                holder.kind(),
                user,
                channel,
                agent,
                token.name(),
                token.hint(),
                token.scope().toString(),
                token.createdAt(),
                token.expiresAt(),
                token.lastUsedAt());
    }
}
