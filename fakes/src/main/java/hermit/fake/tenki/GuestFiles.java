package hermit.fake.tenki;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import hermit.fake.Box;
import hermit.tenki.wire.ListEntry;
import hermit.tenki.wire.ListRequest;
import hermit.tenki.wire.ListResponse;
import hermit.tenki.wire.MkdirRequest;
import hermit.tenki.wire.MkdirResponse;
import hermit.tenki.wire.ReadFileRequest;
import hermit.tenki.wire.ReadFileResponse;
import hermit.tenki.wire.ReadFileStreamRequest;
import hermit.tenki.wire.ReadFileStreamResponse;
import hermit.tenki.wire.RemoveRequest;
import hermit.tenki.wire.RemoveResponse;
import hermit.tenki.wire.StatRequest;
import hermit.tenki.wire.StatResponse;
import hermit.tenki.wire.WriteFileRequest;
import hermit.tenki.wire.WriteFileResponse;
import hermit.tenki.wire.WriteFileStreamResponse;
import hermit.tenki.wire.WriteFileStreamStart;
import io.grpc.Status;
import java.nio.file.Path;

/// The files of one machine, as the guest shows them: under its home only.
final class GuestFiles {
    private static final byte[] NOTHING = {};
    private static final int CHUNK = 64 * 1024;
    private static final int FILE_TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int LINK = 0120000;
    /// How a line of `stat` begins: mode, size, time.
    private static final String LOOK = "%f %s %.9Y";

    private final GuestShell shell;

    GuestFiles(Box box) {
        this.shell = new GuestShell(box);
    }

    /// One of the calls that are no streams.
    Message answer(String method, ByteString request)
            throws Refused, InterruptedException, InvalidProtocolBufferException {
        return switch (method) {
            case "Stat" -> stat(StatRequest.parseFrom(request));
            case "List" -> list(ListRequest.parseFrom(request));
            case "Mkdir" -> mkdir(MkdirRequest.parseFrom(request));
            case "Remove" -> remove(RemoveRequest.parseFrom(request));
            case "ReadFile" -> read(ReadFileRequest.parseFrom(request));
            case "WriteFile" -> write(WriteFileRequest.parseFrom(request));
            default -> throw new Refused(Status.Code.UNIMPLEMENTED, "unknown method " + method);
        };
    }

    private Message stat(StatRequest request) throws Refused, InterruptedException {
        String path = path(request.getPath());
        var done = shell.run(NOTHING, "stat -c '" + LOOK + "' -- \"$1\" && { readlink -n -- \"$1\" || true; }", path);
        if (done.code() != 0) return StatResponse.getDefaultInstance();
        String[] lines = done.text().split("\n", 2);
        var look = Look.of(lines[0]);
        return StatResponse.newBuilder()
                .setExists(true)
                .setSize(look.size)
                .setMode(look.mode)
                .setModifiedUnixNs(look.nanos)
                .setIsDir((look.mode & FILE_TYPE) == DIRECTORY)
                .setIsSymlink((look.mode & FILE_TYPE) == LINK)
                .setSymlinkTarget(lines[1])
                .build();
    }

    private Message list(ListRequest request) throws Refused, InterruptedException {
        String path = path(request.getPath());
        var done = shell.run(
                NOTHING,
                "cd -- \"$1\" && for f in * .[!.]* ..?*; do if [ -e \"$f\" ] || [ -L \"$f\" ]; then " + "stat -c '"
                        + LOOK + " %n' -- \"$f\"; fi; done",
                path);
        if (done.code() != 0) throw missing("open", path);
        var answer = ListResponse.newBuilder();
        for (String line : done.text().lines().toList()) {
            String name = line.split(" ", 4)[3];
            if (name.startsWith(".") && !request.getIncludeHidden()) continue;
            var look = Look.of(line);
            answer.addEntries(ListEntry.newBuilder()
                    .setName(name)
                    .setIsDir((look.mode & FILE_TYPE) == DIRECTORY)
                    .setSize(look.size)
                    .setMode(look.mode)
                    .setModifiedUnixNs(look.nanos));
        }
        return answer.build();
    }

    private Message mkdir(MkdirRequest request) throws Refused, InterruptedException {
        String path = path(request.getPath());
        String how = request.getRecursive() ? "mkdir -p" : "mkdir";
        var done = shell.run(
                NOTHING,
                how + " -m \"$2\" -- \"$1\" && stat -c '" + LOOK + "' -- \"$1\"",
                path,
                octal(request.getMode(), 0755));
        if (done.code() != 0) throw refusal("mkdir", path, done);
        return MkdirResponse.newBuilder()
                .setModifiedUnixNs(Look.of(done.text()).nanos)
                .build();
    }

    private Message remove(RemoveRequest request) throws Refused, InterruptedException {
        String path = path(request.getPath());
        String how = request.getRecursive() ? "rm -rf" : "rm -fd";
        var done = shell.run(NOTHING, "find \"$1\" 2>/dev/null | wc -l; " + how + " -- \"$1\"", path);
        if (done.code() != 0) throw refusal("remove", path, done);
        long entries = Long.parseLong(done.text().strip());
        return RemoveResponse.newBuilder()
                .setRemoved(entries > 0)
                .setEntriesRemoved(entries)
                .build();
    }

    private Message read(ReadFileRequest request) throws Refused, InterruptedException {
        String path = path(request.getPath());
        var done = shell.run(NOTHING, "cat -- \"$1\"", path);
        if (done.code() != 0) throw refusal("open", path, done);
        return ReadFileResponse.newBuilder()
                .setPath(path)
                .setContent(done.out())
                .build();
    }

    void read(ReadFileStreamRequest request, GrpcCall call) throws Refused, ClientGone, InterruptedException {
        String path = path(request.getPath());
        var script = new StringBuilder("wc -c < \"$1\" && tail -c +");
        script.append(request.getOffset() + 1).append(" -- \"$1\"");
        if (request.getLength() > 0) script.append(" | head -c ").append(request.getLength());
        var done = shell.run(NOTHING, script.toString(), path);
        if (done.code() != 0) throw refusal("open", path, done);
        int line = 0;
        while (done.out().byteAt(line) != '\n') line++;
        long size = Long.parseLong(done.out().substring(0, line).toStringUtf8().strip());
        var content = done.out().substring(line + 1);
        int chunk = request.getChunkBytes() > 0 ? request.getChunkBytes() : CHUNK;
        for (int at = 0; at < content.size(); at += chunk)
            call.send(Wrapped.wrap(ReadFileStreamResponse.newBuilder()
                    .setData(content.substring(at, Math.min(content.size(), at + chunk)))
                    .setTotalSize(size)
                    .build()));
        call.send(Wrapped.wrap(ReadFileStreamResponse.newBuilder()
                .setEof(true)
                .setTotalSize(size)
                .build()));
    }

    private Message write(WriteFileRequest request) throws Refused, InterruptedException {
        String path = path(request.getPath());
        var done = shell.run(request.getContent().toByteArray(), "cat > \"$1\"", path);
        if (done.code() != 0) throw refusal("open", path, done);
        return WriteFileResponse.newBuilder()
                .setPath(path)
                .setSizeBytes(request.getContent().size())
                .build();
    }

    /// The whole content of a stream that was half-closed.
    Message write(WriteFileStreamStart start, byte[] content) throws Refused, InterruptedException {
        String path = path(start.getPath());
        String how = start.getTruncate() ? "cat > \"$1\"" : "dd of=\"$1\" conv=notrunc status=none";
        var done = shell.run(content, how + " && chmod \"$2\" -- \"$1\"", path, octal(start.getMode(), 0644));
        if (done.code() != 0) throw refusal("open", path, done);
        return WriteFileStreamResponse.newBuilder()
                .setBytesWritten(content.length)
                .setPath(path)
                .build();
    }

    private static String path(String given) throws Refused {
        if (given.isEmpty())
            throw new Refused(
                    Status.Code.INVALID_ARGUMENT, "validation error: path: value length must be at least 1 characters");
        var resolved = Path.of(Machines.HOME).resolve(given).normalize();
        if (!resolved.startsWith(Machines.HOME))
            throw new Refused(Status.Code.PERMISSION_DENIED, "permission denied: path outside sandbox workdir");
        return resolved.toString();
    }

    private static String octal(int mode, int otherwise) {
        return Integer.toOctalString(mode == 0 ? otherwise : mode);
    }

    private static Refused refusal(String call, String path, GuestShell.Done done) {
        if (done.err().contains("No such file") || done.err().contains("nonexistent")) return missing(call, path);
        return new Refused(
                Status.Code.INTERNAL,
                "%s %s: %s".formatted(call, path, done.err().strip()));
    }

    private static Refused missing(String call, String path) {
        return new Refused(Status.Code.NOT_FOUND, "%s %s: no such file or directory".formatted(call, path));
    }

    private record Look(int mode, long size, long nanos) {
        static Look of(String line) {
            String[] parts = line.strip().split(" ", 4);
            String[] time = parts[2].split("[.]", 2);
            return new Look(
                    Integer.parseInt(parts[0], 16),
                    Long.parseLong(parts[1]),
                    Long.parseLong(time[0]) * 1_000_000_000 + Long.parseLong(time[1]));
        }
    }
}
