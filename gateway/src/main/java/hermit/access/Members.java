package hermit.access;

import hermit.access.SecurityPolicy.Access;
import hermit.identity.Identity;
import hermit.identity.User;
import hermit.identity.UserId;
import hermit.identity.Users;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import hermit.world.World;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;

/// Who belongs to an agent. Nobody gives more than they have: only an owner (or the admin) adds others, and whoever
/// joins by themselves becomes a user.
public final class Members {
    private final MembershipStore store;
    private final Users users;
    private final FailedJoins failedJoins;
    private final World world;

    public Members(MembershipStore store, Users users, FailedJoins failedJoins, World world) {
        this.store = store;
        this.users = users;
        this.failedJoins = failedJoins;
        this.world = world;
    }

    public Page<Member> list(Standing agent, PageRequest page) {
        return store.list(agent.agentUid(), page);
    }

    /// From one of these documents:
    ///
    /// - `{access_token}`: the caller joins a protected agent as a user.
    /// - `{user_id, role}`: an owner adds somebody.
    /// - `{channel, channel_user_id, display_name?, role}`: an owner adds whoever is known so, and makes that
    ///   person where nobody is.
    ///
    /// Adding a member again changes nothing, also not the role.
    public Member add(Standing agent, Caller caller, Map<String, Object> document) {
        var fields = Fields.of(document);
        if (fields.has("access_token")) return join(agent, caller, fields);
        if (!agent.has(Role.OWNER)) {
            if (agent.role().isEmpty()) throw Gate.stranger(agent);
            throw new Forbidden("Only owners of this agent may add members");
        }
        Role role = fields.required("role", fields.word("role", Role.class), Role.GUEST);
        if (fields.has("user_id")) {
            var id = fields.text("user_id").flatMap(UserId::parse);
            if (id.isEmpty()) fields.mistake("user_id", "must be the id of a user");
            fields.finish();
            User user = users.get(id.orElseThrow());
            return joined(agent, user, role);
        }
        if (!fields.has("channel") && !fields.has("channel_user_id"))
            fields.mistake("user_id", "is required (or channel and channel_user_id, or access_token)");
        var identity = fields.has("channel") || fields.has("channel_user_id")
                ? Optional.of(Identity.read(fields))
                : Optional.<Identity>empty();
        fields.finish();
        return joined(agent, users.byIdentity(identity.orElseThrow()), role);
    }

    /// From the document `{role}`.
    public Member change(Standing agent, UserId user, Map<String, Object> document) {
        var fields = Fields.of(document);
        Role role = fields.required("role", fields.word("role", Role.class), Role.GUEST);
        fields.finish();
        if (!store.change(agent.agentUid(), user, role)) throw noMember();
        return store.find(agent.agentUid(), user).orElseThrow(Members::noMember);
    }

    public void remove(Standing agent, UserId user) {
        if (!store.remove(agent.agentUid(), user)) throw noMember();
    }

    /// Makes a stranger of a public agent its guest; a member stays what they are.
    public Role claimGuest(Standing agent, UserId user) {
        return agent.role().orElseGet(() -> store.join(agent.agentUid(), user, Role.GUEST, world.now()));
    }

    private Member join(Standing agent, Caller caller, Fields fields) {
        String given = fields.text("access_token").orElse("");
        fields.finish();
        UserId user =
                caller.person().orElseThrow(() -> new Forbidden("Only a person can join an agent; use a user token"));
        if (agent.role().isEmpty()) {
            failedJoins.check(agent.agentUid(), user);
            if (agent.policy().access() != Access.PROTECTED || !opens(given, agent.policy())) {
                failedJoins.failed(agent.agentUid(), user);
                throw new Forbidden("That access_token does not open this agent");
            }
        }
        return joined(agent, users.get(user), Role.USER);
    }

    /// Digests are of one length, so that the time that comparing takes says nothing about the token.
    private static boolean opens(String given, SecurityPolicy policy) {
        byte[] wanted = policy.accessTokenSha256().orElse("").getBytes(StandardCharsets.US_ASCII);
        byte[] shown = SecurityPolicy.sha256(given).getBytes(StandardCharsets.US_ASCII);
        return MessageDigest.isEqual(wanted, shown);
    }

    private Member joined(Standing agent, User user, Role role) {
        store.join(agent.agentUid(), user.id(), role, world.now());
        return store.find(agent.agentUid(), user.id()).orElseThrow(Members::noMember);
    }

    private static NotFound noMember() {
        return new NotFound("The agent has no such member");
    }
}
