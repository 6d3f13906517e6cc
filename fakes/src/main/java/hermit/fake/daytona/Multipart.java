package hermit.fake.daytona;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/// Reads a `multipart/form-data` body that is there as a whole.
final class Multipart {
    private static final Pattern BOUNDARY = Pattern.compile("boundary=\"?([^\";]+)\"?");
    private static final Pattern NAME = Pattern.compile("(?i)content-disposition:[^\r\n]*[; ]name=\"([^\"]*)\"");

    static final class Part {
        private final String name;
        private final byte[] body;

        Part(String name, byte[] body) {
            this.name = name;
            this.body = body;
        }

        String name() {
            return name;
        }

        byte[] body() {
            return body;
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private Multipart() {}

    static List<Part> read(String contentType, byte[] body) {
        var boundary = BOUNDARY.matcher(contentType);
        if (!contentType.startsWith("multipart/form-data") || !boundary.find())
            throw Refused.badRequest("request Content-Type isn't multipart/form-data");
        byte[] line = ("--" + boundary.group(1)).getBytes(StandardCharsets.ISO_8859_1);
        byte[] next = ("\r\n--" + boundary.group(1)).getBytes(StandardCharsets.ISO_8859_1);
        byte[] blank = "\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
        List<Part> parts = new ArrayList<>();
        int at = find(body, line, 0);
        if (at < 0) throw Refused.badRequest("multipart: NextPart: EOF");
        at += line.length;
        while (at + 2 <= body.length && body[at] != '-') {
            int content = find(body, blank, at);
            int end = content < 0 ? -1 : find(body, next, content + 2);
            if (end < 0) throw Refused.badRequest("multipart: NextPart: unexpected EOF");
            var name = NAME.matcher(new String(body, at, content - at, StandardCharsets.UTF_8));
            if (name.find())
                parts.add(new Part(name.group(1), Arrays.copyOfRange(body, content + 4, Math.max(content + 4, end))));
            at = end + next.length;
        }
        return parts;
    }

    private static int find(byte[] in, byte[] what, int from) {
        for (int i = from; i <= in.length - what.length; i++)
            if (Arrays.equals(in, i, i + what.length, what, 0, what.length)) return i;
        return -1;
    }
}
