/// Daytona's wire: sandboxes through its API, and the way into one through its toolbox. Snapshot, toolbox
/// and archive are its words and stay in here.
@NullMarked
package hermit.backend.daytona;

import org.jspecify.annotations.NullMarked;
