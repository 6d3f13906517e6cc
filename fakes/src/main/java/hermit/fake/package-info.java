/// What the fake providers share: machines that are containers of the local Docker engine, faults on request, and a
/// journal of what was asked.
@NullMarked
package hermit.fake;

import org.jspecify.annotations.NullMarked;
