package hermit.session;

import hermit.access.Gate;
import hermit.access.Role;
import hermit.access.Standing;
import hermit.agent.AgentId;
import hermit.identity.Tokens;
import java.util.UUID;

/// How whoever has said or asked for something stands to an agent now, however long ago that was and whoever spoke for
/// them.
public final class Authors {
    private final Gate gate;
    private final Tokens tokens;

    public Authors(Gate gate, Tokens tokens) {
        this.gate = gate;
        this.tokens = tokens;
    }

    /// A stranger has no role, and so have the programs of an agent when its last token was taken back. Throws
    /// [hermit.problem.GatewayException.NotFound] if there is no such agent.
    public Standing standing(Author author, AgentId agent) {
        Standing standing = gate.standingOf(author.person(), agent);
        return switch (author) {
            case Author.Admin _ -> standing.as(Role.OWNER);
            case Author.Program(UUID uid)
            when uid.equals(standing.agentUid()) && tokens.hasProgram(uid) -> standing.as(Role.USER);
            case Author.Program _, Author.Person _ -> standing;
        };
    }
}
