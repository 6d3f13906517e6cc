/// What can go wrong, as the caller sees it: one sealed exception, the closed set of codes, and the
/// reader of closed objects that collects every mistake before anything is done. Knows nothing but the
/// JDK.
@NullMarked
package hermit.problem;

import org.jspecify.annotations.NullMarked;
