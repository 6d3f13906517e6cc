package hermit.http;

import java.io.InputStream;
import java.util.OptionalLong;

/// The body of a request to a route that takes any number of bytes, whatever their type.
///
/// - `content`: ends with the whole body and not before: one that was cut off is a
///   [hermit.problem.GatewayException.Invalid], thrown by the read.
/// - `length`: as announced, in bytes; empty if the client did not say.
public record Upload(InputStream content, OptionalLong length) {}
