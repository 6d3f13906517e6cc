package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.daytona.Toolbox.Visit;
import io.javalin.config.JavalinConfig;
import io.javalin.http.HandlerType;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Files, as the daemon serves them.
final class FileRoutes {
    private static final String BOUNDARY = "DAYTONA-FILE-BOUNDARY";

    private final Toolbox toolbox;
    private final boolean silentErrors;

    FileRoutes(Toolbox toolbox, Settings settings) {
        this.toolbox = toolbox;
        this.silentErrors = settings.oldDaemon();
    }

    void add(JavalinConfig config) {
        on(config, HandlerType.POST, "/files/bulk-upload", "upload", FileRoutes::bulkUpload);
        if (!silentErrors) on(config, HandlerType.POST, "/files/upload-v2", "upload", FileRoutes::uploadRaw);
        on(config, HandlerType.POST, "/files/bulk-download", "download", FileRoutes::bulkDownload);
        on(config, HandlerType.GET, "/files/download", "download", FileRoutes::download);
        on(config, HandlerType.GET, "/files", "files", FileRoutes::list);
        on(config, HandlerType.DELETE, "/files", "files", FileRoutes::delete);
        on(config, HandlerType.GET, "/files/info", "files", FileRoutes::info);
        on(config, HandlerType.POST, "/files/folder", "files", FileRoutes::makeFolder);
        on(config, HandlerType.POST, "/files/move", "files", FileRoutes::move);
        on(config, HandlerType.POST, "/files/permissions", "files", FileRoutes::permissions);
        on(config, HandlerType.GET, "/files/find", "files", FileRoutes::find);
        on(config, HandlerType.GET, "/files/search", "files", FileRoutes::search);
        on(config, HandlerType.POST, "/files/replace", "files", FileRoutes::replace);
    }

    private void on(
            JavalinConfig config, HandlerType method, String path, String operation, Toolbox.Visiting visiting) {
        toolbox.on(config, method, path, operation, visit -> {
            try {
                visiting.answer(visit);
            } catch (Refused e) {
                if (!silentErrors) throw e;
                visit.context().status(e.status());
            }
        });
    }

    private static void bulkUpload(Visit visit) throws InterruptedException {
        String type = Optional.ofNullable(visit.context().contentType()).orElse("");
        var parts = new LinkedHashMap<String, Multipart.Part>();
        for (var part : Multipart.read(type, visit.context().bodyAsBytes())) parts.put(part.name(), part);
        List<Object> written = new ArrayList<>();
        List<String> errors = new ArrayList<>();
        for (int i = 0; ; i++) {
            var named = parts.get("files[%d].path".formatted(i));
            if (named == null) break;
            String path = named.text();
            var file = parts.get("files[%d].file".formatted(i));
            if (file == null) {
                errors.add("files[%d]: no file".formatted(i));
                continue;
            }
            var done = new Files(visit).write(visit.absolute(path), file.body());
            if (done.code() == 0) written.add(Map.of("path", path, "bytes", file.body().length));
            else errors.add("%s: %s".formatted(path, done.stderr().strip()));
        }
        if (errors.isEmpty()) Wire.json(visit.context(), 200, Map.of("files", written));
        else Wire.json(visit.context(), 400, Map.of("errors", errors, "files", written));
    }

    private static void uploadRaw(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        var done = new Files(visit).write(path, visit.context().bodyAsBytes());
        if (done.code() != 0) throw Files.failed(path, done);
        var answer = Json.object().put("name", name(path)).put("path", path).put("type", "file");
        Wire.json(visit.context(), 200, answer);
    }

    private static void download(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        byte[] content = new Files(visit).read(path);
        var context = visit.context();
        context.header("Content-Description", "File Transfer")
                .header("Content-Disposition", disposition("attachment", name(path)))
                .header("Accept-Ranges", "bytes")
                .contentType("application/octet-stream")
                .result(content);
    }

    private static void bulkDownload(Visit visit) throws InterruptedException {
        var body = new ByteArrayOutputStream();
        for (JsonNode each : Json.read(visit.context().bodyAsBytes()).path("paths")) {
            String path = each.asText();
            String kind;
            byte[] content;
            String headers;
            try {
                content = new Files(visit).read(visit.absolute(path));
                kind = "file";
                headers = "Content-Length: %d\r\nContent-Type: application/octet-stream".formatted(content.length);
            } catch (Refused e) {
                boolean missing = e.code().equals("FILE_NOT_FOUND");
                var error = Json.object()
                        .put("statusCode", e.status())
                        .put("message", missing ? "file not found: " + path : e.text())
                        .put("code", e.code())
                        .put("source", e.source())
                        .put("timestamp", Machine.now().toString())
                        .put("path", path)
                        .put("method", "POST");
                content = error.toString().getBytes(StandardCharsets.UTF_8);
                kind = "error";
                headers = "Content-Type: application/json; charset=utf-8";
            }
            body.writeBytes("--%s\r\nContent-Disposition: %s\r\n%s\r\n\r\n"
                    .formatted(BOUNDARY, disposition("form-data; name=\"%s\"".formatted(kind), path), headers)
                    .getBytes(StandardCharsets.UTF_8));
            body.writeBytes(content);
            body.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
        }
        body.writeBytes("--%s--\r\n".formatted(BOUNDARY).getBytes(StandardCharsets.UTF_8));
        visit.context().contentType("multipart/form-data; boundary=" + BOUNDARY).result(body.toByteArray());
    }

    private static void list(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        String depth = visit.context().queryParam("depth");
        try {
            var entries = new Files(visit).list(path, depth == null ? 1 : Integer.parseInt(depth));
            Wire.json(visit.context(), 200, entries);
        } catch (NumberFormatException e) {
            throw Refused.badRequest("depth must be a number");
        }
    }

    private static void info(Visit visit) throws InterruptedException {
        var info = new Files(visit).info(visit.absolute(visit.query("path")));
        info.remove("path");
        Wire.json(visit.context(), 200, info);
    }

    private static void delete(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        boolean recursive = "true".equals(visit.context().queryParam("recursive"));
        var files = new Files(visit);
        files.must(path, "[ -e \"$1\" ] || [ -L \"$1\" ] || { echo \"No such file\" >&2; exit 2; }", path);
        if (!recursive && files.shell(new byte[0], "[ -d \"$1\" ]", path).code() == 0)
            throw Refused.badRequest("cannot delete directory without recursive flag");
        files.must(path, "rm -rf -- \"$1\"", path);
        visit.context().status(204);
    }

    private static void makeFolder(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        String mode = octal(visit.query("mode"));
        new Files(visit).must(path, "mkdir -p -m \"$2\" -- \"$1\"", path, mode);
        visit.context().status(201);
    }

    private static void move(Visit visit) throws InterruptedException {
        String from = visit.absolute(visit.query("source"));
        String to = visit.absolute(visit.query("destination"));
        var files = new Files(visit);
        if (files.shell(new byte[0], "[ -e \"$1\" ]", to).code() == 0)
            throw Refused.daemon(409, "CONFLICT", "conflict: destination already exists");
        files.must(from, "mv -T -- \"$1\" \"$2\"", from, to);
        visit.context().status(200);
    }

    private static void permissions(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        var context = visit.context();
        var files = new Files(visit);
        String mode = context.queryParam("mode");
        String owner = Optional.ofNullable(context.queryParam("owner")).orElse("");
        String group = Optional.ofNullable(context.queryParam("group")).orElse("");
        if (!owner.isEmpty() || !group.isEmpty())
            files.must(path, "chown -- \"$2\" \"$1\"", path, group.isEmpty() ? owner : owner + ":" + group);
        if (mode != null) files.must(path, "chmod -- \"$2\" \"$1\"", path, octal(mode));
        context.status(200);
    }

    private static void find(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        var done = new Files(visit).shell(new byte[0], "grep -rnIZF -- \"$2\" \"$1\"", path, visit.query("pattern"));
        if (done.code() > 1) throw Files.failed(path, done);
        List<Object> hits = new ArrayList<>();
        for (String line : done.text().lines().sorted().toList()) {
            String[] fields = line.split("\0", 2);
            if (fields.length < 2) continue;
            String[] rest = fields[1].split(":", 2);
            hits.add(Json.object()
                    .put("file", fields[0])
                    .put("line", Integer.parseInt(rest[0]))
                    .put("content", rest[1]));
        }
        Wire.json(visit.context(), 200, hits);
    }

    private static void search(Visit visit) throws InterruptedException {
        String path = visit.absolute(visit.query("path"));
        var done = new Files(visit)
                .must(path, "find \"$1\" -mindepth 1 -name \"$2\" -print0", path, visit.query("pattern"));
        var names = Arrays.stream(done.text().split("\0", -1))
                .filter(each -> !each.isEmpty())
                .sorted()
                .toList();
        Wire.json(visit.context(), 200, Map.of("files", names));
    }

    private static void replace(Visit visit) throws InterruptedException {
        var body = Json.read(visit.context().bodyAsBytes());
        var files = new Files(visit);
        List<Object> results = new ArrayList<>();
        for (JsonNode each : body.path("files")) {
            var result = Json.object().put("file", each.asText());
            try {
                String path = visit.absolute(each.asText());
                String text = new String(files.read(path), StandardCharsets.UTF_8);
                String changed = text.replace(
                        body.path("pattern").asText(), body.path("newValue").asText());
                var done = files.write(path, changed.getBytes(StandardCharsets.UTF_8));
                if (done.code() != 0) throw Files.failed(path, done);
                results.add(result.put("success", true));
            } catch (Refused e) {
                results.add(result.put("success", false).put("error", e.text()));
            }
        }
        Wire.json(visit.context(), 200, results);
    }

    private static String octal(String mode) {
        if (!mode.matches("[0-7]{3,4}")) throw Refused.badRequest("invalid mode " + mode);
        return mode;
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String disposition(String kind, String name) {
        String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
        return "%s; filename=\"%s\"; filename*=utf-8''%s".formatted(kind, name.replace("\"", "\\\""), encoded);
    }
}
