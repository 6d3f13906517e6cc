/// What the operator decided: `gateway.json`, `.env` and the environment, read once at start as validated records.
/// All mistakes are found in one go, each with its path and the nearest known key. Also prepares the home directory
/// of a gateway that starts for the first time, and refuses one that others can read secrets from.
@NullMarked
package hermit.config;

import org.jspecify.annotations.NullMarked;
