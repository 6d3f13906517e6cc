package hermit.backend.keeper;

import java.io.InputStream;
import java.io.OutputStream;

/// Two streams to a keeper, over whatever carries them. Each is used by one virtual thread only, so their calls must
/// not hold a carrier thread for ever: sockets, channels and the JDK's own pipes are fine, a native read through JNA is
/// not.
public interface Bridge extends AutoCloseable {
    InputStream in();

    OutputStream out();

    /// Gives up both ways, at once and without throwing; a read or write that is under way ends. May be called twice.
    @Override
    void close();
}
