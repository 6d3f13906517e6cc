/// How approvals and their rules are reached over HTTP.
@NullMarked
package hermit.approval.http;

import org.jspecify.annotations.NullMarked;
