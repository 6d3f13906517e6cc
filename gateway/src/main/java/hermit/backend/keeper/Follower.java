package hermit.backend.keeper;

import hermit.exec.OutputStreamKind;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Told of all that happens on one channel, in order, by the connection's reader. Must not block.
interface Follower {
    /// The command was executed.
    void started(Channel channel);

    /// The command was found again.
    void attached(Channel channel, Attached attached);

    /// START or ATTACH was refused; the channel is closed.
    void refused(Channel channel, Refusal refusal);

    /// The keeper gave up the channel, without saying what became of the command.
    void dropped(Channel channel, Refusal refusal);

    /// More output: never before the offsets that came so far, and never more than was granted.
    void output(Channel channel, OutputStreamKind stream, long offset, ByteBuffer bytes) throws BadFrame;

    /// This many more bytes of stdin may be sent.
    void stdinCredit(Channel channel, long bytes);

    /// Nobody reads stdin any more.
    void stdinClosed(Channel channel);

    /// The command has ended; the channel is closed.
    void ended(Channel channel, Ended ended);

    /// The connection is gone. The last call for this channel, unless it was closed before.
    void lost(Channel channel, IOException why);
}
