package hermit.session;

import hermit.access.Role;
import hermit.access.Standing;

/// Who acts in an agent's sessions at this very call, and as what. Found anew for each call, so that a
/// role that was taken away counts at once; nothing of it ever comes from a request's body.
///
/// - `agent`: how they stand to it; for somebody whom a channel vouches for, how that person does.
public record Actor(Author author, Role role, Standing agent) {
    /// Whether they see the sessions of others.
    public boolean seesAll() {
        return role == Role.OWNER;
    }

    boolean sees(Session session) {
        return seesAll() || session.owner().equals(author);
    }
}
