/// E2B's wire, without its SDK: the control plane, which makes, pauses and resumes sandboxes, and the daemon in each
/// sandbox, through which the keeper is brought in and reached.
@NullMarked
package hermit.backend.e2b;

import org.jspecify.annotations.NullMarked;
