/// How sessions are reached over HTTP.
@NullMarked
package hermit.session.http;

import org.jspecify.annotations.NullMarked;
