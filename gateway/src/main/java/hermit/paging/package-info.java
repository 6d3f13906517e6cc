/// Lists in pieces: a stable order, and a key after which the next piece begins.
@NullMarked
package hermit.paging;

import org.jspecify.annotations.NullMarked;
