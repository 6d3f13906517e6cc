/// The web UI in a real browser, against a real gateway, and how the gateway serves it.
@NullMarked
package hermit.ui;

import org.jspecify.annotations.NullMarked;
