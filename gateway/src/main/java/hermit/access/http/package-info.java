/// How an agent's security policy is reached over HTTP.
@NullMarked
package hermit.access.http;

import org.jspecify.annotations.NullMarked;
