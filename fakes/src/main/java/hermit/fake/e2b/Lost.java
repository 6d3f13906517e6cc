package hermit.fake.e2b;

import java.io.IOException;

/// The connection is to be closed, whatever has been sent.
final class Lost extends IOException {
    Lost() {
        super("the connection is closed on purpose");
    }
}
