/// People, who they are on which channel, and the tokens by which people, channels and programs are known.
/// What they may do is decided in `hermit.access`.
@NullMarked
package hermit.identity;

import org.jspecify.annotations.NullMarked;
