/// Who may talk to an agent and what needs a person's approval: the security policy of each agent, and the one table
/// that says what
/// each route demands of its caller.
@NullMarked
package hermit.access;

import org.jspecify.annotations.NullMarked;
