package hermit.command.http;

import hermit.command.FileRange;
import java.util.regex.Pattern;

/// The header `Range` (RFC 9110, 14.2). One range of bytes is understood; anything else is no range at all, as the RFC
/// wants it, and the whole file is the answer.
final class RangeHeader {
    private static final Pattern ONE = Pattern.compile("bytes *= *(\\d*) *- *(\\d*) *");
    /// Larger than any file, and within what the keeper reads.
    private static final long FAR = 100_000_000_000_000_000L;

    private RangeHeader() {}

    static FileRange parse(String header) {
        var range = ONE.matcher(header);
        if (!range.matches()) return new FileRange.All();
        String first = range.group(1);
        String last = range.group(2);
        if (first.isEmpty()) return last.isEmpty() ? new FileRange.All() : new FileRange.Last(number(last));
        if (last.isEmpty()) return new FileRange.From(number(first));
        return number(first) > number(last) ? new FileRange.All() : new FileRange.Between(number(first), number(last));
    }

    private static long number(String digits) {
        String plain = digits.replaceFirst("^0+(?=.)", "");
        return plain.length() > 17 ? FAR : Long.parseLong(plain);
    }
}
