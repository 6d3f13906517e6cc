package hermit.fake.tenki;

import com.google.protobuf.InvalidProtocolBufferException;
import hermit.fake.Box;
import hermit.tenki.wire.ReadFileStreamRequest;
import hermit.tenki.wire.RunRequest;
import hermit.tenki.wire.SessionState;
import hermit.tenki.wire.StatRequest;
import hermit.tenki.wire.WriteFileStreamRequest;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;

/// The calls into machines. `special` is the name of a fault that only the method itself can play, or empty.
final class DataPlane {
    private static final String CERTIFICATE = "x-tenki-session-cert";

    private final TenkiFakeSettings settings;
    private final Machines machines;

    DataPlane(TenkiFakeSettings settings, Machines machines) {
        this.settings = settings;
        this.machines = machines;
    }

    /// Answers one call, up to but not including its end.
    void answer(String method, String special, byte[] first, GrpcCall call)
            throws Refused, ClientGone, InterruptedException, InvalidProtocolBufferException {
        var request = Wrapped.unwrap(first);
        switch (method) {
            case "Run" -> {
                var start = RunRequest.parseFrom(request).getStart();
                var session = enter(start.getSessionId(), call);
                GuestRun.serve(session, box(session), call, start, special, settings.grace());
            }
            case "ReadFileStream" -> {
                var read = ReadFileStreamRequest.parseFrom(request);
                files(read.getSessionId(), call).read(read, call);
            }
            case "WriteFileStream" -> {
                var start = WriteFileStreamRequest.parseFrom(request).getStart();
                var files = files(start.getSessionId(), call);
                var content = new ByteArrayOutputStream();
                for (var frame = call.next(); frame.isPresent(); frame = call.next())
                    content.writeBytes(WriteFileStreamRequest.parseFrom(Wrapped.unwrap(frame.get()))
                            .getData()
                            .toByteArray());
                call.send(Wrapped.wrap(files.write(start, content.toByteArray())));
            }
            default -> {
                // All of the others begin with the session.
                var files = files(StatRequest.parseFrom(request).getSessionId(), call);
                call.send(Wrapped.wrap(files.answer(method, request)));
            }
        }
    }

    private GuestFiles files(String session, GrpcCall call) throws Refused {
        return new GuestFiles(box(enter(session, call)));
    }

    private FakeSession enter(String id, GrpcCall call) throws Refused {
        var session = machines.get(id);
        if (FakeSession.isOver(session.state()))
            throw new Refused(Status.Code.FAILED_PRECONDITION, "session is terminated");
        if (session.state() != SessionState.SESSION_STATE_RUNNING)
            throw new Refused(
                    Status.Code.FAILED_PRECONDITION,
                    "session is not running (state=%s)".formatted(Machines.word(session.state())));
        if (!session.accepts(call.header(CERTIFICATE)))
            throw new Refused(Status.Code.UNAUTHENTICATED, "session certificate expired");
        return session;
    }

    private static Box box(FakeSession session) throws Refused {
        return session.box().orElseThrow(() -> new Refused(Status.Code.FAILED_PRECONDITION, "session is terminated"));
    }
}
