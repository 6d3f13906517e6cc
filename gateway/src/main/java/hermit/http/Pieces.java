package hermit.http;

import java.util.Optional;

/// Where the bytes of an answer come from. The next piece is asked for when the client has taken the one before.
public interface Pieces extends AutoCloseable {
    /// The next bytes; empty at the end of the whole. Throws if the rest cannot be had: the connection is then cut, so
    /// that nobody takes what came for the whole.
    Optional<byte[]> next() throws InterruptedException;

    /// Called in any case, also where nothing was asked for.
    @Override
    void close();
}
