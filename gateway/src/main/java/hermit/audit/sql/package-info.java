/// How the audit is kept in the database.
@NullMarked
package hermit.audit.sql;

import org.jspecify.annotations.NullMarked;
