/// A fake E2B: the control plane, the edge and the daemon of each sandbox on one port, with containers for machines.
/// Speaks the 2.x wire as the official JavaScript SDK 2.51.0 does.
@NullMarked
package hermit.fake.e2b;

import org.jspecify.annotations.NullMarked;
