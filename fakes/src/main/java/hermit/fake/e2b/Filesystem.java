package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the daemon says of files. Without watches and metadata.
final class Filesystem {
    private static final String FORMAT = "%y\\0%Y\\0%p\\0%s\\0%m\\0%u\\0%g\\0%T@\\0%l\\0";
    private static final int FIELDS = 9;

    private final Inside inside;
    private final String user;
    private final String home;

    Filesystem(Machine machine, String user, String home) {
        this.inside = new Inside(machine.box());
        this.user = user;
        this.home = home;
    }

    /// Absolute, `~`, or relative to the home.
    static String resolve(String path, String home) {
        if (path.startsWith("/")) return path;
        if (path.isEmpty() || path.equals("~")) return home;
        return home + "/" + (path.startsWith("~/") ? path.substring(2) : path);
    }

    Map<String, Object> stat(JsonNode request) throws Refused, InterruptedException {
        return Map.of("entry", entry(path(request, "path")));
    }

    Map<String, Object> list(JsonNode request) throws Refused, InterruptedException {
        String path = path(request, "path");
        int depth = Math.max(1, request.path("depth").asInt(1));
        var kind = inside.run("[ -e \"$1\" ] || exit 20; [ -d \"$1\" ] || exit 21", path);
        if (kind.code() == 20)
            throw RpcError.of("not_found", "path not found: lstat %s: no such file or directory".formatted(path))
                    .unary();
        if (kind.code() == 21)
            throw RpcError.of("invalid_argument", "path is not a directory: " + path)
                    .unary();
        var found = inside.run(
                "exec find \"$1/\" -mindepth 1 -maxdepth \"$2\" -printf '%s'".formatted(FORMAT), path, "" + depth);
        var entries = entries(found.text().replace("//", "/"));
        entries.sort((a, b) -> String.valueOf(a.get("path")).compareTo(String.valueOf(b.get("path"))));
        return entries.isEmpty() ? Map.of() : Map.of("entries", entries);
    }

    Map<String, Object> makeDirectory(JsonNode request) throws Refused, InterruptedException {
        String path = path(request, "path");
        var made = inside.run(
                "[ -d \"$1\" ] && exit 20; [ -e \"$1\" ] && exit 21; mkdir -p \"$1\" && chown \"$2\": \"$1\"",
                path,
                user);
        switch (made.code()) {
            case 0 -> {}
            case 20 ->
                throw RpcError.of("already_exists", "directory already exists: " + path)
                        .unary();
            case 21 ->
                throw RpcError.of("invalid_argument", "path already exists but it is not a directory: " + path)
                        .unary();
            default -> throw RpcError.of("internal", made.err()).unary();
        }
        return Map.of("entry", entry(path));
    }

    Map<String, Object> move(JsonNode request) throws Refused, InterruptedException {
        String from = path(request, "source");
        String to = path(request, "destination");
        var moved = inside.run(
                "[ -e \"$1\" ] || exit 20; mkdir -p \"$(dirname \"$2\")\" && mv -fT \"$1\" \"$2\"", from, to);
        if (moved.code() == 20)
            throw RpcError.of(
                            "not_found",
                            "source file not found: rename %s %s: no such file or directory".formatted(from, to))
                    .unary();
        if (moved.code() != 0) throw RpcError.of("internal", moved.err()).unary();
        return Map.of("entry", entry(to));
    }

    Map<String, Object> remove(JsonNode request) throws Refused, InterruptedException {
        var removed = inside.run("rm -rf \"$1\"", path(request, "path"));
        if (removed.code() != 0) throw RpcError.of("internal", removed.err()).unary();
        return Map.of();
    }

    private Map<String, Object> entry(String path) throws Refused, InterruptedException {
        var found = inside.run("exec find \"$1\" -maxdepth 0 -printf '%s' 2>/dev/null".formatted(FORMAT), path);
        var entries = entries(found.text());
        if (entries.isEmpty())
            throw RpcError.of("not_found", "file not found: lstat %s: no such file or directory".formatted(path))
                    .unary();
        return entries.getFirst();
    }

    private String path(JsonNode request, String field) {
        return resolve(request.path(field).asText(), home);
    }

    private static List<Map<String, Object>> entries(String text) {
        String[] words = text.split("\0", -1);
        var entries = new ArrayList<Map<String, Object>>();
        for (int i = 0; i + FIELDS <= words.length; i += FIELDS)
            entries.add(entry(List.of(words).subList(i, i + FIELDS)));
        return entries;
    }

    private static Map<String, Object> entry(List<String> words) {
        boolean link = words.get(0).equals("l");
        String path = words.get(2);
        int mode = Integer.parseInt(words.get(4), 8);
        var entry = new LinkedHashMap<String, Object>();
        entry.put("name", path.substring(path.lastIndexOf('/') + 1));
        switch (words.get(1)) {
            case "f" -> entry.put("type", "FILE_TYPE_FILE");
            case "d" -> entry.put("type", "FILE_TYPE_DIRECTORY");
            default -> {} // as of a broken link
        }
        entry.put("path", path);
        entry.put("size", words.get(3));
        entry.put("mode", mode & 0777);
        entry.put("permissions", permissions(words.get(0), mode));
        entry.put("owner", words.get(5));
        entry.put("group", words.get(6));
        entry.put("modifiedTime", time(words.get(7)));
        if (link) entry.put("symlinkTarget", words.get(8));
        return entry;
    }

    /// As Go writes them.
    private static String permissions(String type, int mode) {
        String kind = type.equals("d") ? "d" : type.equals("l") ? "L" : "";
        if ((mode & 01000) != 0) kind += "t";
        if (kind.isEmpty()) kind = "-";
        var text = new StringBuilder(kind);
        for (int bit = 8; bit >= 0; bit--) text.append((mode >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
        return text.toString();
    }

    private static String time(String seconds) {
        var exact = new BigDecimal(seconds);
        long whole = exact.longValue();
        long nanos = exact.subtract(BigDecimal.valueOf(whole)).movePointRight(9).longValue();
        return Instant.ofEpochSecond(whole, nanos).toString();
    }
}
