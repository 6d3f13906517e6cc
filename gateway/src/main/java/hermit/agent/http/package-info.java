/// How agents are reached over HTTP: reading them, and their config with its `ETag`. Making and deleting them concerns
/// their sandboxes, too, and is found there.
@NullMarked
package hermit.agent.http;

import org.jspecify.annotations.NullMarked;
