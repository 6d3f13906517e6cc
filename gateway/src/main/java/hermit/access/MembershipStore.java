package hermit.access;

import hermit.agent.AgentId;
import hermit.identity.UserId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// How memberships are kept. Each call is one transaction.
public interface MembershipStore {
    /// A live agent, and the role that a person has there. One query, whoever asks.
    Optional<Standing> standing(AgentId agent, Optional<UserId> user);

    /// The live agents at which a person has a role.
    Set<UUID> agentsOf(UserId user);

    /// The live agents at which a person has at least this role.
    Set<UUID> agentsOf(UserId user, Role least);

    /// Whether a member of the agent is known on this channel.
    boolean hasMemberOf(String channel, UUID agentUid);

    /// In order of user id, which is the page's key.
    Page<Member> list(UUID agentUid, PageRequest page);

    Optional<Member> find(UUID agentUid, UserId user);

    /// Makes somebody a member who is none; the role that they have now. Throws
    /// [hermit.problem.GatewayException.NotFound] if the person or the agent is gone.
    Role join(UUID agentUid, UserId user, Role role, Instant now);

    /// Gives a member another role. False if they are none. Throws [hermit.problem.GatewayException.Conflict] if the
    /// agent would be left without an owner.
    boolean change(UUID agentUid, UserId user, Role role);

    /// False if they are no member. Throws [hermit.problem.GatewayException.Conflict] if the agent would be left
    /// without an owner.
    boolean remove(UUID agentUid, UserId user);
}
