/// How agents are kept in the database.
@NullMarked
package hermit.agent.sql;

import org.jspecify.annotations.NullMarked;
