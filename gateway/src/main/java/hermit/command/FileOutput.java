package hermit.command;

import java.nio.ByteBuffer;

/// Where the stdout of a file operation goes.
interface FileOutput {
    /// `offset` is that of the first byte. May block, which holds the operation back.
    void add(long offset, ByteBuffer bytes) throws InterruptedException;

    /// Nothing more comes.
    void ended();

    /// Nobody wants more. What comes all the same is dropped.
    void close();
}
