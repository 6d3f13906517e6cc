/// How security policies are kept in the database: in a column of their agent's row.
@NullMarked
package hermit.access.sql;

import org.jspecify.annotations.NullMarked;
