/// What the gateway takes from outside itself: the time, fresh ids, and waiting. Given to whoever needs it, so that a
/// test holds all three in its hand.
@NullMarked
package hermit.world;

import org.jspecify.annotations.NullMarked;
