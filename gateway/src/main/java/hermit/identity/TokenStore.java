package hermit.identity;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// How tokens are kept. One that was revoked, or whose holder is gone, is never found.
public interface TokenStore {
    /// Throws [hermit.problem.GatewayException.NotFound] if the holder is not there.
    void add(Token token, String sha256);

    /// By the digest of its secret.
    Optional<Token> find(String sha256);

    Optional<Token> find(TokenId id);

    /// Whether there is one for programs of that agent that has not expired.
    boolean hasProgram(UUID agentUid, Instant now);

    /// In order of id; the page's key is the id. Of one person only, where one is given.
    Page<Token> list(Optional<UserId> of, PageRequest page);

    void used(TokenId id, Instant now);

    /// False if there is no such token.
    boolean revoke(TokenId id, Instant now);
}
