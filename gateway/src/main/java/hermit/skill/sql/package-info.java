/// How skills are kept.
@NullMarked
package hermit.skill.sql;

import org.jspecify.annotations.NullMarked;
