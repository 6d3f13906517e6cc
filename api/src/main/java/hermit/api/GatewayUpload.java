package hermit.api;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.OptionalLong;

/// Bytes for a gateway.
///
/// - `length`: how many there will be, if that is known.
public record GatewayUpload(String contentType, OptionalLong length, Source source) {
    /// Writes all of them. What it throws of its own is the caller's; the gateway then sees a body that was cut off.
    @FunctionalInterface
    public interface Source {
        void writeTo(OutputStream out) throws IOException;
    }

    /// Remembers whether it was the connection that failed, and not what was to be sent.
    static final class Connection extends FilterOutputStream {
        private boolean broken;

        Connection(OutputStream out) {
            super(out);
        }

        boolean isBroken() {
            return broken;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            try {
                out.write(bytes, offset, count);
            } catch (IOException e) {
                broken = true;
                throw e;
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                out.flush();
            } catch (IOException e) {
                broken = true;
                throw e;
            }
        }

        /// Only [GatewayClient] ends the body: to close it is to say that it is whole.
        @Override
        public void close() {}
    }
}
