package hermit.cli;

import java.io.InputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// A terminal with a test at its keyboard.
final class FakeTerminal implements LocalTerminal {
    private static final byte[] HUNG_UP = {};

    private final BlockingQueue<byte[]> typed = new LinkedBlockingQueue<>();
    private volatile Size size = new Size(80, 24);
    private volatile Runnable onResize = () -> {};
    private volatile boolean raw;
    private volatile boolean wasRaw;

    void type(String keys) {
        typed.add(keys.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    void hangUp() {
        typed.add(HUNG_UP);
    }

    void resize(int columns, int rows) {
        size = new Size(columns, rows);
        onResize.run();
    }

    boolean wasRaw() {
        return wasRaw;
    }

    boolean isRaw() {
        return raw;
    }

    @Override
    public Size size() {
        return size;
    }

    @Override
    public void onResize(Runnable action) {
        onResize = action;
    }

    @Override
    public void makeRaw() {
        raw = true;
        wasRaw = true;
    }

    @Override
    public InputStream keys() {
        return new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException("keys are read in pieces");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                try {
                    byte[] keys = typed.take();
                    System.arraycopy(keys, 0, bytes, offset, keys.length);
                    return keys.length == 0 ? -1 : keys.length;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return -1;
                }
            }
        };
    }

    @Override
    public void close() {
        raw = false;
    }
}
