package hermit.backend.keeper;

import java.io.IOException;

/// The other side does not keep to the protocol. The connection is of no use any more.
final class BadFrame extends IOException {
    BadFrame(String message) {
        super(message);
    }
}
