package hermit.identity;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What one can do with people.
public final class Users {
    private static final int MAX_NAME = 200;

    private final UserStore store;
    private final World world;

    public Users(UserStore store, World world) {
        this.store = store;
        this.world = world;
    }

    /// From the document `{name, identities?: [{channel, channel_user_id, display_name?}]}`.
    public User create(Map<String, Object> document) {
        var fields = Fields.of(document);
        String name = fields.required("name", fields.text("name"), "");
        if (fields.has("name") && (name.isBlank() || name.length() > MAX_NAME))
            fields.mistake("name", "must have 1 to %d characters".formatted(MAX_NAME));
        fields.finish();
        return create(name, List.of());
    }

    /// A new person who is known by this.
    public User create(Identity identity) {
        return create(identity.displayName().orElse(identity.channelUserId()), List.of(identity));
    }

    private User create(String name, List<Identity> identities) {
        var user = new User(new UserId(world.newId()), name, identities, world.now());
        store.add(user);
        return user;
    }

    /// Throws [NotFound].
    public User get(UserId id) {
        return store.find(id).orElseThrow(Users::notFound);
    }

    /// Whoever is known so on a channel.
    public Optional<User> find(String channel, String channelUserId) {
        return store.findBy(channel, channelUserId);
    }

    /// Whoever is known by this identity; a new person where nobody is.
    public User byIdentity(Identity identity) {
        var known = store.findBy(identity.channel(), identity.channelUserId());
        if (known.isPresent()) return known.get();
        try {
            return create(identity);
        } catch (Conflict e) {
            // Somebody made the same person at the same moment.
            return store.findBy(identity.channel(), identity.channelUserId()).orElseThrow(() -> e);
        }
    }

    public Page<User> list(PageRequest page) {
        return store.list(page);
    }

    /// From the document `{channel, channel_user_id, display_name?}`.
    public User addIdentity(UserId id, Map<String, Object> document) {
        var fields = Fields.of(document);
        var identity = Identity.read(fields);
        fields.finish();
        store.addIdentity(id, identity, world.now());
        return get(id);
    }

    public User removeIdentity(UserId id, String channel, String channelUserId) {
        get(id);
        if (!store.removeIdentity(id, channel, channelUserId)) throw new NotFound("The user has no such identity");
        return get(id);
    }

    public void delete(UserId id) {
        if (!store.delete(id, world.now())) throw notFound();
    }

    /// From the document `{into}`. The person that is left.
    public User merge(UserId from, Map<String, Object> document) {
        var fields = Fields.of(document);
        String text = fields.required("into", fields.text("into"), "");
        fields.finish();
        UserId into = UserId.parse(text).orElseThrow(() -> new Invalid("into", "must be the id of a user"));
        if (from.equals(into)) throw new Invalid("into", "must be another user");
        store.merge(from, into, world.now());
        return get(into);
    }

    private static NotFound notFound() {
        return new NotFound("No such user");
    }
}
