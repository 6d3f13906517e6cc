/// The contract between the gateway and whatever runs commands: what a command is, how it can end, what
/// a backend promises, and how each backend type is configured. No implementation, and nothing but the
/// JDK and `problem`.
@NullMarked
package hermit.exec;

import org.jspecify.annotations.NullMarked;
