/// The command line `hermit`: reads arguments, calls the gateway's API, prints. It starts fast, so it works on JSON
/// trees, builds only the commands that were asked for, and carries nothing of the gateway; what only the gateway
/// knows (whether a configuration is right) it asks the gateway's own program.
@NullMarked
package hermit.cli;

import org.jspecify.annotations.NullMarked;
