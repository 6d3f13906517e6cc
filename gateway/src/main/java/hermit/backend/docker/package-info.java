/// Sandboxes as containers of a Docker engine, local or remote. One class for each kind of engine call,
/// one caller ([Engine]) that owns address, TLS, time limits and the translation of failures; what is
/// to be done with what was found is decided in [Drift], apart from the doing. Commands do not go
/// through the engine but over one stream to the keeper that is PID 1 of every container.
@NullMarked
package hermit.backend.docker;

import org.jspecify.annotations.NullMarked;
