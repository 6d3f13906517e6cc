package hermit.fake.e2b;

import java.io.IOException;
import org.eclipse.jetty.io.QuietException;

/// The connection is to be closed, whatever has been sent.
final class Lost extends IOException implements QuietException {
    Lost() {
        super("the connection is closed on purpose");
    }
}
