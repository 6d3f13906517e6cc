/// The tools of an agent, as sessions call them: who may use which, what asks a person first, and carrying
/// it out.
@NullMarked
package hermit.tool;

import org.jspecify.annotations.NullMarked;
