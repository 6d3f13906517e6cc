package hermit.approval;

import hermit.access.Caller;
import hermit.access.Gate;
import hermit.access.MembershipStore;
import hermit.access.Role;
import hermit.access.Standing;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Who decides about approvals: owners of the agent and the admin, in person.
public final class Deciders {
    private final Gate gate;
    private final MembershipStore memberships;

    public Deciders(Gate gate, MembershipStore memberships) {
        this.gate = gate;
        this.memberships = memberships;
    }

    /// The agents whose approvals the caller decides; empty for all of them.
    Optional<Set<UUID>> agentsOf(Caller caller) {
        if (caller instanceof Caller.Admin) return Optional.empty();
        return Optional.of(caller.person()
                .map(person -> memberships.agentsOf(person, Role.OWNER))
                .orElse(Set.of()));
    }

    /// Throws [Forbidden] for whoever is concerned and may not decide, and [NotFound] for everybody else.
    void require(Caller caller, Approval approval) {
        if (decides(caller, approval)) return;
        boolean concerned = caller.person().isPresent()
                && (isRequester(caller, approval)
                        || standing(caller, approval).flatMap(Standing::role).isPresent());
        if (concerned) throw new Forbidden("Only owners of this agent may decide that");
        throw noSuchApproval();
    }

    /// Deciders and whoever asked, in person.
    boolean sees(Caller caller, Approval approval) {
        return isRequester(caller, approval) || decides(caller, approval);
    }

    static NotFound noSuchApproval() {
        return new NotFound("No such approval");
    }

    private boolean decides(Caller caller, Approval approval) {
        return switch (caller) {
            case Caller.Admin _ -> true;
            case Caller.Person _ ->
                standing(caller, approval).filter(each -> each.has(Role.OWNER)).isPresent();
            case Caller.Program _, Caller.Channel _, Caller.Anonymous _ -> false;
        };
    }

    private static boolean isRequester(Caller caller, Approval approval) {
        return caller.person().isPresent() && approval.requester().person().equals(caller.person());
    }

    /// How the caller stands to the agent that was asked for, which may have been deleted and made anew
    /// meanwhile.
    private Optional<Standing> standing(Caller caller, Approval approval) {
        try {
            return Optional.of(gate.standing(caller, approval.agentId().value()))
                    .filter(each -> each.agentUid().equals(approval.agentUid()));
        } catch (NotFound e) {
            return Optional.empty();
        }
    }
}
