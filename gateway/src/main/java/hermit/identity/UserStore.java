package hermit.identity;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.Optional;

/// How people are kept. Only live ones are ever found. Each call is one transaction.
public interface UserStore {
    /// Stores a person with all identities. Throws [hermit.problem.GatewayException.Conflict] if one of them is
    /// somebody else's.
    void add(User user);

    Optional<User> find(UserId id);

    Optional<User> findBy(String channel, String channelUserId);

    /// In order of id; the page's key is the id.
    Page<User> list(PageRequest page);

    /// Adds an identity that nobody has, or does nothing if it is this person's already. Throws
    /// [hermit.problem.GatewayException.Conflict] if it is somebody else's, and
    /// [hermit.problem.GatewayException.NotFound] if there is no such person.
    void addIdentity(UserId id, Identity identity, Instant now);

    /// False if this person does not have it.
    boolean removeIdentity(UserId id, String channel, String channelUserId);

    /// Deletes a person: their identities are free again, their tokens and memberships are gone. False if there is
    /// no such person. Throws [hermit.problem.GatewayException.Conflict] if an agent would be left without an
    /// owner.
    boolean delete(UserId id, Instant now);

    /// Makes one person out of two: identities, memberships (the higher role where both have one) and tokens go to
    /// `into`, and `from` is deleted. Throws [hermit.problem.GatewayException.NotFound] unless both are there.
    void merge(UserId from, UserId into, Instant now);
}
