/// How sessions and their events are kept in the database.
@NullMarked
package hermit.session.sql;

import org.jspecify.annotations.NullMarked;
