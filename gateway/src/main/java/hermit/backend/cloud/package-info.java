/// What all cloud backends have in common: a machine that is found, made, resumed and paused by its provider's own
/// means, and in it the keeper, over which commands, terminals and files go as they do in a container.
@NullMarked
package hermit.backend.cloud;

import org.jspecify.annotations.NullMarked;
