package hermit.http;

/// Told of each request that changed or opened something, and of each that was refused, before it is answered. May
/// throw a [hermit.problem.GatewayException] for one that succeeded: it is then answered with that.
public interface RequestObserver {
    void answered(AnsweredRequest request);

    /// A WebSocket has been closed; the request is the one that opened it.
    void closed(AnsweredRequest request);

    /// A request was turned away before it came to a route.
    void turnedAway(TurnedAway request);

    /// Looks at nothing.
    RequestObserver NOBODY = new RequestObserver() {
        @Override
        public void answered(AnsweredRequest request) {}

        @Override
        public void closed(AnsweredRequest request) {}

        @Override
        public void turnedAway(TurnedAway request) {}
    };
}
