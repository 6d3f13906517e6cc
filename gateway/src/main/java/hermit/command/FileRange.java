package hermit.command;

/// Which bytes of a file are wanted. How long the file is becomes known only when it has been opened.
public sealed interface FileRange {
    /// The whole file.
    record All() implements FileRange {}

    /// From an offset to the end.
    record From(long offset) implements FileRange {}

    /// From `first` to `last`, both included, as far as the file goes.
    record Between(long first, long last) implements FileRange {
        public Between {
            if (first < 0 || last < first) throw new IllegalArgumentException("range %d-%d".formatted(first, last));
        }
    }

    /// The last so many bytes, or all of them if there are fewer.
    record Last(long count) implements FileRange {}

    /// Where it begins in a file of this size.
    default long start(long size) {
        return switch (this) {
            case All _ -> 0;
            case From(long offset) -> offset;
            case Between(long first, long _) -> first;
            case Last(long count) -> count == 0 ? size : Math.max(0, size - count);
        };
    }

    /// How many bytes it has in a file of this size that is not over before it begins.
    default long length(long size) {
        return switch (this) {
            case Between(long first, long last) -> Math.min(last + 1, size) - first;
            case All _, From _, Last _ -> size - start(size);
        };
    }

    /// The offset in the keeper's words.
    default String keeperOffset() {
        return switch (this) {
            case All _ -> "0";
            case From(long offset) -> Long.toString(offset);
            case Between(long first, long _) -> Long.toString(first);
            case Last(long count) -> "-" + count;
        };
    }

    /// The length in the keeper's words.
    default String keeperLength() {
        return this instanceof Between(long first, long last) ? Long.toString(last - first + 1) : "-";
    }
}
