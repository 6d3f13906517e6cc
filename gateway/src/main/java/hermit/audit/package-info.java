/// What was done, by whom and from where: records that are only ever added, each bound to the one before by a digest.
@NullMarked
package hermit.audit;

import org.jspecify.annotations.NullMarked;
