/// The database as the `sql` rooms of the features see it: one pool, two doors (`read` and `write`), and a schema
/// that is brought up to date before anybody comes in. Knows SQLite and PostgreSQL apart so that nobody else has
/// to, and knows no feature.
@NullMarked
package hermit.db;

import org.jspecify.annotations.NullMarked;
