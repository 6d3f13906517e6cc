package hermit.cli;

import hermit.api.GatewayClientException;

/// What whoever holds the conversation has to answer, while the rest is only shown.
sealed interface ChatHappening {
    /// A turn has ended, and all of it has been shown.
    record TurnEnded(String turnId) implements ChatHappening {}

    /// A call waits for a decision.
    record Asked(String approvalId) implements ChatHappening {}

    /// Ctrl-C, while no line is asked for.
    record Interrupted() implements ChatHappening {}

    /// The session's events cannot be followed any more.
    record Lost(GatewayClientException why) implements ChatHappening {}

    /// The terminal has gone.
    record Gone() implements ChatHappening {}
}
