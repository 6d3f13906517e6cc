package hermit.fake.e2b;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/// Bytes of files, over plain HTTP. Without signatures, ranges and compressed answers.
final class DaemonFiles {
    private static final Pattern BOUNDARY = Pattern.compile("boundary=\"?([^\";]+)\"?");
    private static final Pattern FILE_NAME = Pattern.compile("filename=\"([^\"]*)\"");
    private static final int DIRECTORY = 21;

    private final Machine machine;
    private final String defaultUser;

    DaemonFiles(Machine machine, String defaultUser) {
        this.machine = machine;
        this.defaultUser = defaultUser;
    }

    Answer upload(Call call) throws Refused, InterruptedException {
        String user = user(call);
        String type = call.header("Content-Type").orElse("");
        var written = new ArrayList<Map<String, Object>>();
        if (type.startsWith("application/octet-stream")) {
            String path = call.query("path")
                    .orElseThrow(() ->
                            new Refused(Answer.refusal(400, "path query parameter is required for raw body upload")));
            written.add(write(path, unpacked(call), user));
        } else if (type.startsWith("multipart/form-data")) {
            for (var part : parts(call.body(), type))
                written.add(write(call.query("path").orElse(part.name), part.content, user));
        } else {
            throw new Refused(Answer.refusal(
                    400,
                    "unsupported content type: %s, expected multipart/form-data or application/octet-stream"
                            .formatted(type)));
        }
        return Answer.json(200, written).with("Content-Type", "text/plain; charset=utf-8");
    }

    Answer download(Call call) throws Refused, InterruptedException {
        String path =
                Filesystem.resolve(call.query("path").orElse(""), machine.box().home(user(call)));
        var read = inside().run(
                        "[ -e \"$1\" ] || exit 20; [ -d \"$1\" ] && exit %d; exec cat \"$1\"".formatted(DIRECTORY),
                        path);
        return switch (read.code()) {
            case 0 ->
                new Answer.Whole(
                        200,
                        Map.of(
                                "Content-Type",
                                path.endsWith(".txt") ? "text/plain; charset=utf-8" : "application/octet-stream",
                                "Content-Disposition",
                                "inline; filename=" + path.substring(path.lastIndexOf('/') + 1)),
                        read.out());
            case 20 -> Answer.refusal(404, "path '%s' does not exist".formatted(path));
            case DIRECTORY -> Answer.refusal(400, "path '%s' is a directory".formatted(path));
            default -> Answer.refusal(500, read.err());
        };
    }

    private Map<String, Object> write(String name, byte[] content, String user) throws Refused, InterruptedException {
        String path = Filesystem.resolve(name, machine.box().home(user));
        var done = inside().run(
                        "[ -d \"$1\" ] && exit %d; d=$(dirname \"$1\"); [ -d \"$d\" ] || install -d -o \"$2\" \"$d\";"
                                        .formatted(DIRECTORY)
                                + " cat >\"$1\" && chown \"$2\": \"$1\"",
                        content,
                        path,
                        user);
        if (done.code() == DIRECTORY) throw new Refused(Answer.refusal(400, "path is a directory: " + path));
        if (done.code() != 0) throw new Refused(Answer.refusal(500, done.err()));
        var entry = new LinkedHashMap<String, Object>();
        entry.put("name", path.substring(path.lastIndexOf('/') + 1));
        entry.put("path", path);
        entry.put("type", "file");
        return entry;
    }

    private String user(Call call) throws Refused, InterruptedException {
        String user = call.query("username").filter(name -> !name.isEmpty()).orElse(defaultUser);
        if (machine.box().home(user).isEmpty())
            throw new Refused(
                    Answer.refusal(401, "error looking up user '%s': user: unknown user %s".formatted(user, user)));
        return user;
    }

    private Inside inside() {
        return new Inside(machine.box());
    }

    private static byte[] unpacked(Call call) throws Refused {
        if (!call.header("Content-Encoding").equals(Optional.of("gzip"))) return call.body();
        try (var in = new GZIPInputStream(new ByteArrayInputStream(call.body()))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new Refused(Answer.refusal(400, "body is not gzip: " + e.getMessage()));
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares it
    private record Part(String name, byte[] content) {}

    /// Read as Latin-1, in which each byte is one character.
    private static List<Part> parts(byte[] body, String type) throws Refused {
        Matcher boundary = BOUNDARY.matcher(type);
        if (!boundary.find()) throw new Refused(Answer.refusal(400, "no multipart boundary param in Content-Type"));
        String text = new String(body, StandardCharsets.ISO_8859_1);
        String mark = "--" + boundary.group(1);
        var parts = new ArrayList<Part>();
        for (int from = text.indexOf(mark) + mark.length(); ; ) {
            int to = text.indexOf("\r\n" + mark, from);
            int head = text.indexOf("\r\n\r\n", from);
            if (to < 0 || head < 0 || head > to) return parts;
            String headers = text.substring(from, head);
            Matcher name = FILE_NAME.matcher(headers);
            if (headers.contains("name=\"file\"") && name.find())
                parts.add(new Part(
                        new String(name.group(1).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8),
                        text.substring(head + 4, to).getBytes(StandardCharsets.ISO_8859_1)));
            from = to + 2 + mark.length();
        }
    }
}
