/// The sandboxes of agents: rows, presets, what one can do with them, and the machines behind the rows,
/// each brought up by one caller at a time.
@NullMarked
package hermit.sandbox;

import org.jspecify.annotations.NullMarked;
