package hermit.http;

import hermit.access.Caller;
import java.util.Optional;

/// Turns what a request shows of its sender into a [Caller]. The only place where credentials are looked at.
@FunctionalInterface
public interface Authenticator {
    /// The cookie of a browser that has logged in.
    String LOGIN_COOKIE = "hermit_login";
    /// A header that a page of another site cannot send without being allowed to, which nobody is.
    String MARK = "X-Hermit-CSRF";

    /// No credential at all is [Caller.Anonymous], and so is the cookie of a login that has ended.
    /// Throws [hermit.problem.GatewayException.Unauthenticated] for a wrong one, which is never taken
    /// for none, and [hermit.problem.GatewayException.RateLimited] for too many.
    Identified authenticate(Credentials credentials);

    /// Whether the credential by which this caller came in would still let them in.
    default boolean stillKnows(Identified who) {
        return true;
    }

    /// Who it is, and by what that is known.
    ///
    /// - `login`: names the login of a browser by which they came, if it was one; no secret, and no right.
    record Identified(Caller caller, Optional<String> login) {
        static final Identified NOBODY = of(new Caller.Anonymous());

        /// Known by a token.
        public static Identified of(Caller caller) {
            return new Identified(caller, Optional.empty());
        }
    }

    /// - `authorization`: the header of that name.
    /// - `login`: the cookie that a login has set; it counts where there is no `authorization`.
    /// - `ticket`: the query parameter of that name, where the route takes one.
    /// - `path`: what is asked for, without its query.
    /// - `fromPage`: the request says which page it comes from, and that page may ask.
    /// - `marked`: it carries the header that no foreign page can send.
    /// - `changes`: it is more than reading.
    /// - `address`: where the caller is: the connection's other end, or whom a trusted proxy names.
    record Credentials(
            Optional<String> authorization,
            Optional<String> login,
            Optional<String> ticket,
            String path,
            boolean fromPage,
            boolean marked,
            boolean changes,
            String address) {
        boolean anyShown() {
            return authorization.isPresent() || login.isPresent() || ticket.isPresent();
        }

        /// Of a program, which has no cookies and comes from no page.
        public static Credentials ofProgram(Optional<String> authorization, String address) {
            return new Credentials(
                    authorization, Optional.empty(), Optional.empty(), "/", false, false, false, address);
        }
    }
}
