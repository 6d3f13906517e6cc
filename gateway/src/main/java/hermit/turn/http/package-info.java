/// How messages are posted and their answers waited for over HTTP, and which models there are.
@NullMarked
package hermit.turn.http;

import org.jspecify.annotations.NullMarked;
