package hermit.http;

import hermit.access.Caller;
import java.util.Optional;

/// Turns what a request shows of its sender into a [Caller]. The only place where credentials are looked at.
@FunctionalInterface
public interface Authenticator {
    /// No credential at all is [Caller.Anonymous]. Throws [hermit.problem.GatewayException.Unauthenticated] for a wrong
    /// one, which is never taken for none, and [hermit.problem.GatewayException.RateLimited] for too many.
    Caller authenticate(Credentials credentials);

    /// - `authorization`: the header of that name.
    /// - `address`: that of the connection's other end; what a `Forwarded` header says of it proves nothing.
    record Credentials(Optional<String> authorization, String address) {}
}
