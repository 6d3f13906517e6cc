/// The HTTP server: routes and their policies, authentication, strict reading of bodies and queries, problem+json and
/// event streams. It knows no feature; each feature's own `http` room brings its [hermit.http.Routes].
@NullMarked
package hermit.http;

import org.jspecify.annotations.NullMarked;
