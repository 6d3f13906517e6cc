package hermit.access;

import java.util.Optional;

/// Decides whether a caller may pass; [Gate] is the gateway's.
@FunctionalInterface
public interface Guard {
    /// Throws a [hermit.problem.GatewayException], or says how the caller stands to the agent in the path, where
    /// there is one.
    ///
    /// - `agent`: the path's text for an agent, which may be anything.
    /// - `reading`: whether the request changes nothing.
    Optional<Standing> check(RoutePolicy policy, Caller caller, Optional<String> agent, boolean reading);
}
