/// How approvals and their rules are kept in the database.
@NullMarked
package hermit.approval.sql;

import org.jspecify.annotations.NullMarked;
