/// How turns and their steps are kept in the database.
@NullMarked
package hermit.turn.sql;

import org.jspecify.annotations.NullMarked;
