package hermit.fake.daytona;

import hermit.fake.Box;
import hermit.fake.daytona.Toolbox.Visit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/// Files of one sandbox, touched by small programs in it, as its user.
final class Files {
    private static final String STAT = "%s\\t%A\\t%.9Y\\t%u\\t%g\\t%a\\t%n\\0";

    private final Visit visit;

    Files(Visit visit) {
        this.visit = visit;
    }

    /// What a shell script did: `$1` and so on are `arguments`.
    static final class Done {
        private final int code;
        private final byte[] stdout;
        private final String stderr;

        Done(int code, byte[] stdout, String stderr) {
            this.code = code;
            this.stdout = stdout;
            this.stderr = stderr;
        }

        int code() {
            return code;
        }

        byte[] stdout() {
            return stdout;
        }

        String stderr() {
            return stderr;
        }

        String text() {
            return new String(stdout, StandardCharsets.UTF_8);
        }
    }

    Done shell(byte[] stdin, String script, String... arguments) throws InterruptedException {
        List<String> argv = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        argv.addAll(List.of(arguments));
        var process = visit.box().run(new Box.Run(visit.user(), Optional.empty(), Map.of(), argv));
        Thread.ofVirtual().start(() -> {
            try (var out = process.stdin()) {
                out.write(stdin);
            } catch (IOException _) {
                // It did not want all of it.
            }
        });
        var stderr = new ByteArrayOutputStream();
        var listener = Thread.ofVirtual().start(() -> stderr.writeBytes(all(process.stderr())));
        byte[] stdout = all(process.stdout());
        listener.join();
        try {
            return new Done(process.onExit().get(), stdout, stderr.toString(StandardCharsets.UTF_8));
        } catch (ExecutionException e) {
            throw Refused.daemon(500, "INTERNAL_SERVER_ERROR", "the program was lost");
        }
    }

    /// Like [#shell] without stdin; refuses as `missing` if it fails.
    Done must(String path, String script, String... arguments) throws InterruptedException {
        var done = shell(new byte[0], script, arguments);
        if (done.code != 0) throw failed(path, done);
        return done;
    }

    /// Parents are made; an existing file keeps its mode.
    Done write(String path, byte[] content) throws InterruptedException {
        return shell(content, "mkdir -p \"$(dirname \"$1\")\" && cat >\"$1\"", path);
    }

    byte[] read(String path) throws InterruptedException {
        return must(path, "[ ! -d \"$1\" ] || { echo \"is a directory\" >&2; exit 21; }; cat \"$1\"", path).stdout;
    }

    Map<String, Object> info(String path) throws InterruptedException {
        return describe(must(path, "stat -L --printf '" + STAT + "' -- \"$1\"", path)
                        .text())
                .getFirst();
    }

    List<Map<String, Object>> list(String path, int depth) throws InterruptedException {
        var done = must(
                path,
                "[ -d \"$1\" ] || { echo \"No such file or directory\" >&2; exit 2; };"
                        + " find \"$1\" -mindepth 1 -maxdepth \"$2\" -exec stat -L --printf '" + STAT
                        + "' -- {} + 2>/dev/null",
                path,
                Integer.toString(depth));
        var entries = new ArrayList<>(describe(done.text()));
        entries.sort(java.util.Comparator.comparing(each -> String.valueOf(each.get("path"))));
        return entries;
    }

    private static List<Map<String, Object>> describe(String records) {
        List<Map<String, Object>> entries = new ArrayList<>();
        for (String record : records.split("\0", -1)) {
            if (record.isEmpty()) continue;
            String[] fields = record.split("\t", 7);
            String[] seconds = fields[2].split("\\.", 2);
            var changed = Instant.ofEpochSecond(Long.parseLong(seconds[0]), Long.parseLong(seconds[1]));
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("name", fields[6].substring(fields[6].lastIndexOf('/') + 1));
            entry.put("size", Long.parseLong(fields[0]));
            entry.put("mode", fields[1]);
            entry.put("modTime", changed.toString().replace("T", " ").replace("Z", " +0000 UTC"));
            entry.put("modifiedAt", changed.toString());
            entry.put("isDir", fields[1].startsWith("d"));
            entry.put("owner", fields[3]);
            entry.put("group", fields[4]);
            entry.put("permissions", "0".repeat(Math.max(0, 4 - fields[5].length())) + fields[5]);
            entry.put("path", fields[6]);
            entries.add(entry);
        }
        return entries;
    }

    static Refused failed(String path, Done done) {
        String said = done.stderr.strip();
        if (said.contains("No such file") || said.contains("cannot stat"))
            return Refused.daemon(404, "FILE_NOT_FOUND", "open %s: no such file or directory".formatted(path));
        if (said.contains("Permission denied") || said.contains("not permitted"))
            return Refused.daemon(403, "FILE_ACCESS_DENIED", "open %s: permission denied".formatted(path));
        return Refused.badRequest(said);
    }

    private static byte[] all(InputStream stream) {
        try (stream) {
            return stream.readAllBytes();
        } catch (IOException _) {
            return new byte[0]; // the machine is gone, and so is the program
        }
    }
}
