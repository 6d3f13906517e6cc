/// The web UI as the gateway serves it: one page at each address that the UI knows, and the assets that it loads. What
/// the pages show they ask the public API for.
@NullMarked
package hermit.ui;

import org.jspecify.annotations.NullMarked;
