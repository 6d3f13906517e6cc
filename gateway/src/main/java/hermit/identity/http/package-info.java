/// People as they travel. Their routes are with those of `hermit.access`, which knows who may call them.
@NullMarked
package hermit.identity.http;

import org.jspecify.annotations.NullMarked;
