/// How commands are kept in the database: one row each, and their output apart from it.
@NullMarked
package hermit.command.sql;

import org.jspecify.annotations.NullMarked;
