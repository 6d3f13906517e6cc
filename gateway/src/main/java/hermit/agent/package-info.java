/// An agent: whoever has sandboxes, members and sessions. Its uid is the key of everything that belongs
/// to it, so that a new agent of the same id inherits nothing.
@NullMarked
package hermit.agent;

import org.jspecify.annotations.NullMarked;
