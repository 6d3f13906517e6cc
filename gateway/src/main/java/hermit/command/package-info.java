/// Commands as a caller sees them: a request that is checked, a row written before it starts, output that can be read
/// while it runs and afterwards,
/// and one known end.
@NullMarked
package hermit.command;

import org.jspecify.annotations.NullMarked;
