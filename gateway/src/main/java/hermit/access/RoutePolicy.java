package hermit.access;

import hermit.problem.GatewayException.Unauthenticated;

/// What a route demands of its caller, checked before the handler sees anything of the request.
public sealed interface RoutePolicy {
    /// Everybody, also without a credential. The handler may still tell an admin more.
    record Everybody() implements RoutePolicy {}

    /// The holder of the admin token.
    record AdminOnly() implements RoutePolicy {}

    /// Throws [Unauthenticated] for a caller who has shown nothing that this route takes.
    default void check(Caller caller) {
        switch (this) {
            case Everybody _ -> {}
            case AdminOnly _ -> {
                switch (caller) {
                    case Caller.Admin _ -> {}
                    case Caller.Anonymous _ -> throw new Unauthenticated("This route needs a token");
                }
            }
        }
    }
}
