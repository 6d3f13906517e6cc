/// How people, their identities and their tokens are kept in the database.
@NullMarked
package hermit.identity.sql;

import org.jspecify.annotations.NullMarked;
