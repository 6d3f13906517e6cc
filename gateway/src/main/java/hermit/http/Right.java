package hermit.http;

import hermit.access.Caller;
import hermit.access.RoutePolicy;
import java.util.Optional;

/// By what a request was let in: asked again for as long as it is a stream.
record Right(RoutePolicy policy, Caller caller, Optional<String> agent, boolean reading) {}
