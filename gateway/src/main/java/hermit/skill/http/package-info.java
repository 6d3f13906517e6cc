/// The routes of skills.
@NullMarked
package hermit.skill.http;

import org.jspecify.annotations.NullMarked;
