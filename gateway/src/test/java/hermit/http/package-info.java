/// Tests of the server itself, each on a real one at a free port, with routes made for the test; and a client for all
/// tests of routes.
@NullMarked
package hermit.http;

import org.jspecify.annotations.NullMarked;
