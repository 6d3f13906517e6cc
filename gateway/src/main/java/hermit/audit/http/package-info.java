/// How requests come into the audit, and how it is read over HTTP.
@NullMarked
package hermit.audit.http;

import org.jspecify.annotations.NullMarked;
