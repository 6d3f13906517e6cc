/// Sandboxes in Tenki's cloud, over gRPC: sessions at its control plane, and programs and files of one session at the
/// data plane that the control plane names. Loaded only when a sandbox of this type is used.
@NullMarked
package hermit.backend.tenki;

import org.jspecify.annotations.NullMarked;
