/// Skills: folders with a `SKILL.md` that an operator offers, who has which, and bringing them into sandboxes.
@NullMarked
package hermit.skill;

import org.jspecify.annotations.NullMarked;
