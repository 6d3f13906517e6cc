package hermit.http;

import hermit.access.RoutePolicy;
import hermit.http.Authenticator.Identified;
import java.util.Optional;

/// By what a request was let in: asked again for as long as it is a stream.
record Right(RoutePolicy policy, Identified who, Optional<String> agent, boolean reading) {}
