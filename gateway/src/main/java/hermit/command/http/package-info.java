/// How commands are reached over HTTP: answered as one document or streamed as events, with output that is never cut
/// within a character.
@NullMarked
package hermit.command.http;

import org.jspecify.annotations.NullMarked;
