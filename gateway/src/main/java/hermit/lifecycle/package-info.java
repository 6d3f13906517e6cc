/// When machines are shut down by themselves: the decision as a pure function of values and a time, and the loop that
/// acts on it.
@NullMarked
package hermit.lifecycle;

import org.jspecify.annotations.NullMarked;
