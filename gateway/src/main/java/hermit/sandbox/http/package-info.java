/// How sandboxes are reached over HTTP, and how agents are made and deleted together with theirs.
@NullMarked
package hermit.sandbox.http;

import org.jspecify.annotations.NullMarked;
