package hermit.command;

import hermit.command.OutputBuffer.Piece;

/// A command as it is answered: its row, and a piece of each stream.
public record ExecView(ExecRecord record, Slice stdout, Slice stderr) {
    /// A piece of a stream.
    ///
    /// - `offset`: of the first byte here, which may lie after the one that was asked for, if what lies between is
    ///   not held any more.
    /// - `total`: how long the stream is so far.
    /// - `truncated`, `dropped`: whether and how many bytes of the stream are neither here nor before `offset` as
    ///   asked.
    @SuppressWarnings("ArrayRecordComponent")
    public record Slice(long offset, byte[] bytes, long total) {
        static Slice of(Piece piece, long total) {
            return new Slice(piece.offset(), piece.bytes(), total);
        }

        static Slice nothing(long offset, long total) {
            return new Slice(offset, new byte[0], total);
        }

        public long dropped() {
            return Math.max(0, total - offset - bytes.length);
        }

        public boolean truncated() {
            return dropped() > 0;
        }
    }
}
