package hermit.access.http;

import hermit.access.Caller;
import hermit.access.MembershipStore;
import hermit.agent.http.VisibleAgents;
import hermit.http.Request;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The admin sees every agent, a person those where they are a member, a program its own.
public final class AgentsOfCaller implements VisibleAgents {
    private final MembershipStore memberships;

    public AgentsOfCaller(MembershipStore memberships) {
        this.memberships = memberships;
    }

    @Override
    public Optional<Set<UUID>> to(Request request) {
        return switch (request.caller()) {
            case Caller.Admin _ -> Optional.empty();
            case Caller.Person person -> Optional.of(memberships.agentsOf(person.id()));
            case Caller.Program program -> Optional.of(Set.of(program.agentUid()));
            case Caller.Channel _, Caller.Anonymous _ -> Optional.of(Set.of());
        };
    }
}
