/// Calls that ask a person first: durable, decided once, carried out at most once; and the rules by which
/// a command that was allowed need not ask again.
@NullMarked
package hermit.approval;

import org.jspecify.annotations.NullMarked;
