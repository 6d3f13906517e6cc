package hermit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/// Input of which nothing is known but its bounds, for tests of what holds for all of it: the same for the same seed,
/// and often at the bounds, where most faults are. A test takes the seed as its parameter, so that a failure names it:
///
/// ```java
/// @ParameterizedTest
/// @MethodSource("hermit.AnyInput#seeds")
/// void it_holds(long seed) {
///     var any = new AnyInput(seed);
/// ```
public final class AnyInput {
    private static final int KNOWN = 150;
    private static final int NEW = 100;
    private static final int ONE_AT_A_BOUND_IN = 5;

    private final Random random;

    public AnyInput(long seed) {
        this.random = new Random(seed);
    }

    /// Some that are the same at each run, and some that never were before.
    public static LongStream seeds() {
        return LongStream.concat(LongStream.range(0, KNOWN), new Random().longs(NEW));
    }

    public int between(int min, int max) {
        return (int) between((long) min, (long) max);
    }

    /// Both are included.
    public long between(long min, long max) {
        if (random.nextInt(ONE_AT_A_BOUND_IN) > 0)
            return max == Long.MAX_VALUE ? random.nextLong(min, max) : random.nextLong(min, max + 1);
        return random.nextBoolean() ? min : max;
    }

    /// At most so many.
    public byte[] bytes(int most) {
        byte[] bytes = new byte[between(0, most)];
        random.nextBytes(bytes);
        return bytes;
    }

    /// Characters of all planes, in well-formed UTF-16.
    public String text(int most) {
        var text = new StringBuilder();
        for (int left = between(0, most); left > 0; left--) {
            int point = between(0, random.nextBoolean() ? 0x7F : Character.MAX_CODE_POINT);
            text.appendCodePoint(point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? '?' : point);
        }
        return text.toString();
    }

    public <T> List<T> list(int least, int most, Supplier<T> element) {
        var list = new ArrayList<T>();
        for (int left = between(least, most); left > 0; left--) list.add(element.get());
        return list;
    }

    /// For what chooses by itself.
    public Random random() {
        return random;
    }
}
