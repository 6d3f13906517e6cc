/// The gateway's side of the keeper, the program that is PID 1 of a sandbox and runs its commands: frames, one
/// connection over a bridge, and [KeeperLink], which keeps commands attached when bridges break. The protocol is
/// written down once, in `guest/README.md`; whatever comes from the guest counts as forged until it has been checked.
@NullMarked
package hermit.backend.keeper;

import org.jspecify.annotations.NullMarked;
