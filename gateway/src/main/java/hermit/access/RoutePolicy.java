package hermit.access;

/// What a route demands of its caller, checked before the handler sees anything of the request.
public sealed interface RoutePolicy {
    /// Everybody, also without a credential. The handler may still tell an admin more.
    record Everybody() implements RoutePolicy {}

    /// The holder of the admin token.
    record AdminOnly() implements RoutePolicy {}

    /// Whoever shows a credential; the answer depends on whose.
    record Known() implements RoutePolicy {}

    /// Whoever shows a credential, and nothing but their own login is concerned: a token that only reads will do.
    record OwnLogin() implements RoutePolicy {}

    /// A person or the admin.
    record People() implements RoutePolicy {}

    /// Who may make agents: the admin, and people unless the operator keeps it to himself.
    record Creators() implements RoutePolicy {}

    /// A person with at least this role at the agent in the path, or the admin.
    record OfAgent(Role least) implements RoutePolicy {}

    /// Whoever may talk to the agent in the path: members, channels for those whom they vouch for, the agent's own
    /// programs, and strangers where the agent is public.
    record Talk() implements RoutePolicy {}

    /// Opening a connection to the agent in the path, for whoever may talk to it. Nothing is done by
    /// that: what comes over the connection is checked by itself, so a token that only reads will do.
    record Connect() implements RoutePolicy {}

    /// Joining the agent in the path: members, and strangers where it is protected.
    record Join() implements RoutePolicy {}
}
