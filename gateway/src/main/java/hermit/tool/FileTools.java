package hermit.tool;

import hermit.command.ExecRequest.Encoding;
import hermit.command.FileContent;
import hermit.command.FileInfo;
import hermit.command.FileRange;
import hermit.command.SandboxFiles;
import hermit.paging.Page;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import hermit.sandbox.Sandbox;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The tools for files of a sandbox.
final class FileTools {
    private final SandboxFiles files;

    FileTools(SandboxFiles files) {
        this.files = files;
    }

    Map<String, Object> read(Sandbox sandbox, ToolArguments.Read wanted) throws InterruptedException {
        var range = new FileRange.Between(wanted.offset(), wanted.offset() + wanted.length() - 1);
        var content = files.read(
                sandbox.agentId(), sandbox.alias(), wanted.path(), wanted.offset() == 0 ? new FileRange.All() : range);
        byte[] bytes = take(content, wanted.length());
        var document = describe(content.info());
        document.put("offset", wanted.offset());
        document.put("encoding", wanted.encoding().toString());
        document.put(
                "content",
                wanted.encoding() == Encoding.BASE64
                        ? Base64.getEncoder().encodeToString(bytes)
                        : new String(bytes, StandardCharsets.UTF_8));
        document.put(
                "truncated", wanted.offset() + bytes.length < content.info().size());
        return document;
    }

    Map<String, Object> write(Sandbox sandbox, ToolArguments.Write wanted) throws InterruptedException {
        return write(sandbox, wanted.path(), wanted.content());
    }

    /// Replaces a text in a file. Who writes the file between our look and our write is overwritten.
    Map<String, Object> edit(Sandbox sandbox, ToolArguments.Edit wanted) throws InterruptedException {
        var content = files.read(sandbox.agentId(), sandbox.alias(), wanted.path(), new FileRange.All());
        byte[] bytes = take(content, ToolArguments.MOST_BYTES + 1);
        if (bytes.length > ToolArguments.MOST_BYTES)
            throw new Refused(
                    ProblemCode.TOO_LARGE,
                    "%s is larger than the %d bytes that can be edited"
                            .formatted(wanted.path(), ToolArguments.MOST_BYTES));
        String text = text(bytes);
        int first = text.indexOf(wanted.oldText());
        if (first < 0) throw new Conflict("old_text is not in %s".formatted(wanted.path()));
        boolean again = text.indexOf(wanted.oldText(), first + 1) >= 0;
        if (again && !wanted.all())
            throw new Conflict(
                    "old_text is in %s more than once; give more of it, or replace_all".formatted(wanted.path()));
        String edited = text.replace(wanted.oldText(), wanted.newText());
        return write(sandbox, wanted.path(), edited.getBytes(StandardCharsets.UTF_8));
    }

    Map<String, Object> list(Sandbox sandbox, ToolArguments.ListFiles wanted) throws InterruptedException {
        Page<FileInfo> page = files.list(sandbox.agentId(), sandbox.alias(), wanted.path(), wanted.page());
        var document = new LinkedHashMap<String, Object>();
        document.put("items", page.items().stream().map(FileTools::describe).toList());
        page.next().ifPresent(next -> document.put("next", next));
        return document;
    }

    private Map<String, Object> write(Sandbox sandbox, String path, byte[] content) throws InterruptedException {
        try {
            var written = files.write(
                    sandbox.agentId(),
                    sandbox.alias(),
                    path,
                    new ByteArrayInputStream(content),
                    OptionalLong.of(content.length));
            var document = describe(written.info());
            document.put("created", written.created());
            return document;
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory could not be read", e);
        }
    }

    private static byte[] take(FileContent content, int most) throws InterruptedException {
        if (!(content instanceof FileContent.Bytes found)) return new byte[0];
        var bytes = new ByteArrayOutputStream();
        try (var download = found.download()) {
            Optional<byte[]> piece = download.next();
            while (piece.isPresent() && bytes.size() < most) {
                bytes.write(piece.get(), 0, Math.min(piece.get().length, most - bytes.size()));
                if (bytes.size() < most) piece = download.next();
            }
        }
        return bytes.toByteArray();
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new Invalid("path", "is no text in UTF-8, and cannot be edited as one");
        }
    }

    private static Map<String, Object> describe(FileInfo info) {
        var document = new LinkedHashMap<String, Object>();
        document.put("path", info.path());
        document.put("name", info.name());
        document.put("type", info.type().toString());
        document.put("size", info.size());
        document.put("modified_at", info.modifiedAt().toString());
        info.target().ifPresent(target -> document.put("target", target));
        return document;
    }
}
