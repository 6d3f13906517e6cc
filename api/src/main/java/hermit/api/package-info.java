/// What travels over HTTP, as records: requests, responses, events and [hermit.api.Problem]. JSON names are snake_case,
/// times are RFC 3339 in UTC. No logic: the gateway checks requests itself, and a client only reads and writes them.
@NullMarked
package hermit.api;

import org.jspecify.annotations.NullMarked;
