package hermit.command.http;

import hermit.agent.AgentId;
import hermit.command.FileContent;
import hermit.command.FileDownload;
import hermit.command.FileRange;
import hermit.command.SandboxFiles;
import hermit.http.Pages;
import hermit.http.Pieces;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.http.Upload;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Files in a sandbox: read, written, listed, moved and removed from outside, and whole trees as tar.
public final class FileRoutes implements Routes {
    private static final String FILES = "/api/agents/{id}/sandboxes/{alias}/files";
    private static final String ARCHIVE = FILES + "/archive";

    private final SandboxFiles files;

    public FileRoutes(SandboxFiles files) {
        this.files = files;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(FILES, this::read).withQuery("path"),
                Route.put(FILES, this::write).withQuery("path").withUpload(),
                Route.delete(FILES, this::delete).withQuery("path", "recursive"),
                Route.get(FILES + "/list", this::list).withQuery("path", "limit", "cursor"),
                Route.get(FILES + "/stat", this::stat).withQuery("path"),
                Route.get(ARCHIVE, this::pack).withQuery("path"),
                Route.put(ARCHIVE, this::unpack).withQuery("path").withUpload(),
                Route.post(FILES + "/mkdir", this::mkdir),
                Route.post(FILES + "/move", this::move));
    }

    private Reply read(Request request) throws InterruptedException {
        FileRange range = request.header("Range").map(RangeHeader::parse).orElse(new FileRange.All());
        return switch (files.read(agent(request), alias(request), path(request), range)) {
            case FileContent.NoSuchRange(var info) -> new Reply.NoSuchRange(info.size());
            case FileContent.Bytes content -> {
                boolean whole = range instanceof FileRange.All;
                var headers = new HashMap<>(Map.of("Accept-Ranges", "bytes"));
                if (!whole) headers.put("Content-Range", contentRange(content));
                yield new Reply.Download(
                        whole ? 200 : 206,
                        "application/octet-stream",
                        content.info().name(),
                        content.download().length(),
                        headers,
                        pieces(content.download()));
            }
        };
    }

    private static String contentRange(FileContent.Bytes content) {
        long last = content.offset() + content.download().length().orElseThrow() - 1;
        return "bytes %d-%d/%d".formatted(content.offset(), last, content.info().size());
    }

    private Reply write(Request request) throws InterruptedException {
        Upload upload = request.upload();
        try {
            var written = files.write(agent(request), alias(request), path(request), upload.content(), upload.length());
            var entry = FileJson.entry(written.info());
            return new Reply.Json(written.created() ? 201 : 200, entry, Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // an upload's content says what is wrong by problems only
        }
    }

    private Reply delete(Request request) throws InterruptedException {
        files.delete(
                agent(request), alias(request), path(request), request.query().flag("recursive"));
        return Reply.noContent();
    }

    private Reply list(Request request) throws InterruptedException {
        var page = request.query().page(name -> !name.isEmpty());
        return Pages.reply(files.list(agent(request), alias(request), path(request), page), FileJson::entry);
    }

    private Reply stat(Request request) throws InterruptedException {
        return Reply.ok(FileJson.entry(files.stat(agent(request), alias(request), path(request))));
    }

    private Reply pack(Request request) throws InterruptedException {
        FileDownload download = files.pack(agent(request), alias(request), path(request));
        return new Reply.Download(
                200, "application/x-tar", download.name() + ".tar", download.length(), Map.of(), pieces(download));
    }

    private Reply unpack(Request request) throws InterruptedException {
        Upload upload = request.upload();
        try {
            return Reply.ok(
                    FileJson.unpacked(files.unpack(agent(request), alias(request), path(request), upload.content())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Reply mkdir(Request request) throws InterruptedException {
        var fields = request.fields();
        String path = fields.required("path", fields.text("path"), "");
        fields.finish();
        return Reply.ok(FileJson.entry(files.mkdir(agent(request), alias(request), path)));
    }

    private Reply move(Request request) throws InterruptedException {
        var fields = request.fields();
        String from = fields.required("from", fields.text("from"), "");
        String to = fields.required("to", fields.text("to"), "");
        fields.finish();
        return Reply.ok(FileJson.entry(files.move(agent(request), alias(request), from, to)));
    }

    private static Pieces pieces(FileDownload download) {
        return new Pieces() {
            @Override
            public Optional<byte[]> next() throws InterruptedException {
                return download.next();
            }

            @Override
            public void close() {
                download.close();
            }
        };
    }

    private static String path(Request request) {
        return request.query().text("path").orElseThrow(() -> new Invalid("path", "is required"));
    }

    private static AgentId agent(Request request) {
        return AgentId.inPath(request.path("id"));
    }

    private static Alias alias(Request request) {
        return Alias.inPath(request.path("alias"));
    }
}
