package hermit.access;

import hermit.access.SecurityPolicy.Access;
import hermit.agent.AgentId;
import hermit.identity.UserId;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.Refused;
import hermit.problem.GatewayException.Unauthenticated;
import hermit.problem.ProblemCode;
import java.util.Optional;

/// Decides for every route and transport whether a caller may pass. In this order: who shows no credential is
/// unauthenticated; a stranger to an agent is told that there is none, except where joining is possible; a member
/// without the right is forbidden.
public final class Gate implements Guard {
    private final MembershipStore memberships;
    private final boolean usersCreateAgents;

    public Gate(MembershipStore memberships, boolean usersCreateAgents) {
        this.memberships = memberships;
        this.usersCreateAgents = usersCreateAgents;
    }

    @Override
    public Optional<Standing> check(RoutePolicy policy, Caller caller, Optional<String> agent, boolean reading) {
        if (policy instanceof RoutePolicy.Everybody) return Optional.empty();
        if (caller instanceof Caller.Anonymous) throw new Unauthenticated("This route needs a token");
        var standing = switch (policy) {
            case RoutePolicy.OfAgent _, RoutePolicy.Talk _, RoutePolicy.Connect _, RoutePolicy.Join _ ->
                Optional.of(standing(caller, agent.orElse("")));
            default -> Optional.<Standing>empty();
        };
        switch (policy) {
            case RoutePolicy.Everybody _, RoutePolicy.Known _, RoutePolicy.OwnLogin _ -> {}
            case RoutePolicy.AdminOnly _ -> require(caller instanceof Caller.Admin, "Only the admin may do that");
            case RoutePolicy.People _ -> require(isPerson(caller), "Only people may do that, and the admin");
            case RoutePolicy.Creators _ -> require(createsAgents(caller), "You may not make agents");
            case RoutePolicy.OfAgent(Role least) -> ofAgent(standing.orElseThrow(), caller, least);
            case RoutePolicy.Talk _, RoutePolicy.Connect _ -> talk(standing.orElseThrow(), caller);
            case RoutePolicy.Join _ -> join(standing.orElseThrow());
        }
        boolean changing =
                !reading && !(policy instanceof RoutePolicy.OwnLogin) && !(policy instanceof RoutePolicy.Connect);
        if (changing && caller instanceof Caller.Person person && person.readOnly())
            throw new Forbidden("This token only reads");
        return standing;
    }

    /// Whether such callers make agents here, whatever their token is limited to.
    public boolean createsAgents(Caller caller) {
        return caller instanceof Caller.Admin || (usersCreateAgents && isPerson(caller));
    }

    /// How a caller stands to an agent, or [NotFound].
    public Standing standing(Caller caller, String agent) {
        if (!AgentId.PATTERN.matcher(agent).matches()) throw notFound(agent);
        var id = new AgentId(agent);
        Standing standing = memberships.standing(id, caller.person()).orElseThrow(() -> notFound(agent));
        return switch (caller) {
            case Caller.Admin _ -> standing.as(Role.OWNER);
            case Caller.Program program ->
                program.agentUid().equals(standing.agentUid()) ? standing.as(Role.USER) : standing;
            case Caller.Person _, Caller.Channel _, Caller.Anonymous _ -> standing;
        };
    }

    /// How a person stands to an agent, whoever speaks for them; nobody is a stranger. Or [NotFound].
    public Standing standingOf(Optional<UserId> person, AgentId agent) {
        return memberships.standing(agent, person).orElseThrow(() -> notFound(agent.value()));
    }

    private static void ofAgent(Standing standing, Caller caller, Role least) {
        if (caller instanceof Caller.Program || caller instanceof Caller.Channel) {
            if (standing.role().isEmpty() && standing.policy().access() == Access.PRIVATE)
                throw notFound(standing.agentId().value());
            throw new Forbidden("A token of this kind may not do that");
        }
        if (standing.role().isEmpty()) throw stranger(standing);
        if (!standing.has(least)) throw new Forbidden("Only %ss of this agent may do that".formatted(least));
    }

    private void talk(Standing standing, Caller caller) {
        switch (caller) {
            // For whom the channel speaks is seen when the session is opened. Where none of its people is a member, it
            // is as much of a stranger as they are.
            case Caller.Channel channel -> {
                if (standing.policy().access() == Access.PRIVATE
                        && !memberships.hasMemberOf(channel.name(), standing.agentUid()))
                    throw notFound(standing.agentId().value());
            }
            case Caller.Program _ -> {
                if (standing.role().isEmpty()) throw notFound(standing.agentId().value());
            }
            case Caller.Person _, Caller.Admin _, Caller.Anonymous _ -> {
                if (standing.role().isEmpty() && standing.policy().access() != Access.PUBLIC) throw stranger(standing);
            }
        }
    }

    private static void join(Standing standing) {
        if (standing.role().isEmpty() && standing.policy().access() != Access.PROTECTED) throw stranger(standing);
    }

    /// What somebody without a role is told: nothing of a private agent, and how to join a protected one.
    public static GatewayException stranger(Standing standing) {
        return switch (standing.policy().access()) {
            case PRIVATE -> notFound(standing.agentId().value());
            case PROTECTED ->
                new Refused(
                        ProblemCode.JOIN_REQUIRED,
                        "Join this agent first: POST /api/agents/%s/members with its access_token"
                                .formatted(standing.agentId()));
            case PUBLIC -> new Forbidden("Only members of this agent may do that");
        };
    }

    /// The same for an agent that is not there and for one that is not for the caller.
    static NotFound notFound(String agent) {
        return new NotFound(AgentId.PATTERN.matcher(agent).matches() ? "No such agent: " + agent : "No such agent");
    }

    private static boolean isPerson(Caller caller) {
        return caller instanceof Caller.Admin || caller instanceof Caller.Person;
    }

    private static void require(boolean may, String otherwise) {
        if (!may) throw new Forbidden(otherwise);
    }
}
