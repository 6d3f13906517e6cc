/// How sandboxes are kept in the database, together with the agents that are made and deleted with them, and who
/// works on a sandbox right now.
@NullMarked
package hermit.sandbox.sql;

import org.jspecify.annotations.NullMarked;
