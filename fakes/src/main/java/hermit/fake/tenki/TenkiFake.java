package hermit.fake.tenki;

import com.google.protobuf.InvalidProtocolBufferException;
import hermit.fake.FakeFailure;
import hermit.fake.FakeProvider;
import hermit.fake.Fault.Kind;
import hermit.fake.Faults;
import hermit.fake.Journal;
import io.grpc.Status;
import java.net.URI;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/// Tenki on three ports of this machine: its control plane, the data plane of all its machines, and the fake's own
/// controls ([Controls]).
///
/// Each method of the wire is an operation of [Faults], by its own name, e.g. `CreateSession` or `Run`. An `Answer`
/// with a status below 100 is a status of gRPC with `body` as its text and the headers as trailers, any other one
/// plain HTTP from something that knows no gRPC. Specials for every method: `refused_stream`. Further operations and
/// specials:
///
/// - `edge`: met by every call on the data plane before its own method; an `Answer` of 404 is a route that is not there
/// yet.
/// - `start`: the making of a machine, after its create was answered; takes `Delay`, and special `fails`.
/// - `capture`: the work of a pause; takes `Delay`, and special `rolls_back` (it runs again).
/// - `restore`: the work of a resume; takes `Delay`, and special `falls_back` (it is paused again).
/// - `CreateSessionCredential`: specials `not_ready`, `failed`, `unprobed`.
/// - `GetSession`: specials `unknown_state`, `stale_paused`.
/// - `WaitSession`: special `ends_early`.
/// - `Run`: specials `ignores_timeout`, `timed_out_zero`, `grace_timeout`, `session_terminated`, `first_frame_timeout`,
/// `capability_unavailable`, `unauthenticated_midway` (after the first output), `unauthenticated_after_stdin`.
///
/// What a program's exit code above 128 says of a signal, the fake takes for one.
public final class TenkiFake implements FakeProvider {
    private static final String CONTROL = "/tenki.sandbox.v1.SandboxService/";
    private static final String DATA = "/tenki.sandbox.v1.SandboxSessionDataPlaneService/";

    private final TenkiFakeSettings settings;
    private final Faults faults = new Faults();
    private final Journal journal = new Journal();
    private final Machines machines;
    private final ControlPlane controlPlane;
    private final DataPlane dataPlane;
    private final GrpcServer control;
    private final GrpcServer data;
    private final Controls controls;

    private TenkiFake(TenkiFakeSettings settings) throws InterruptedException {
        this.settings = settings;
        this.machines = new Machines(settings, faults);
        this.dataPlane = new DataPlane(settings, machines);
        this.data = GrpcServer.start(settings.host(), settings.dataPort(), this::serveData);
        String address = "http://%s:%d%s".formatted(settings.host(), data.port(), settings.dataPath());
        this.controlPlane = new ControlPlane(settings, machines, address);
        this.control = GrpcServer.start(settings.host(), settings.port(), this::serveControl);
        this.controls = Controls.start(settings, faults, journal, happenings());
    }

    public static TenkiFake start(TenkiFakeSettings settings) throws InterruptedException {
        return new TenkiFake(settings);
    }

    @Override
    public URI address() {
        return URI.create("http://%s:%d".formatted(settings.host(), control.port()));
    }

    /// Where its own controls listen, in plain HTTP.
    public URI controls() {
        return URI.create("http://%s:%d".formatted(settings.host(), controls.port()));
    }

    @Override
    public Faults faults() {
        return faults;
    }

    @Override
    public Journal journal() {
        return journal;
    }

    /// What happens to machines without anybody's call over the wire.
    public Happenings happenings() {
        return new Happenings(machines);
    }

    private void serveControl(GrpcCall call) throws InterruptedException {
        serve(CONTROL, call, (method, special, message) -> {
            if (!isAuthenticated(call)) throw new Refused(Status.Code.UNAUTHENTICATED, "invalid credentials");
            controlPlane.answer(method, special, message, call);
        });
    }

    private void serveData(GrpcCall call) throws InterruptedException {
        var edge = faults.next("edge");
        if (edge.isPresent()) {
            meet(edge.get(), call);
            return;
        }
        String prefix = settings.dataPath().replaceFirst("/$", "");
        serve(prefix + DATA, call, (method, special, message) -> dataPlane.answer(method, special, message, call));
    }

    private interface Plane {
        void answer(String method, String special, byte[] message)
                throws Refused, ClientGone, InterruptedException, InvalidProtocolBufferException;
    }

    private void serve(String prefix, GrpcCall call, Plane plane) throws InterruptedException {
        if (!call.path().startsWith(prefix)) {
            call.plain(404, Map.of(), "404 page not found");
            return;
        }
        String method = call.path().substring(prefix.length());
        try {
            var first = call.next();
            if (first.isEmpty()) throw new Refused(Status.Code.INTERNAL, "no message");
            note("POST", call, first.get());
            call.onMessage(message -> note("MESSAGE", call, message));
            var special = meet(method, call);
            if (special.isEmpty()) return;
            plane.answer(method, special.get(), first.get());
            call.end();
        } catch (Refused e) {
            call.end(e.code(), String.valueOf(e.getMessage()), Map.of());
        } catch (InvalidProtocolBufferException e) {
            call.end(Status.Code.INTERNAL, "unreadable message", Map.of());
        } catch (FakeFailure e) {
            call.end(Status.Code.INTERNAL, String.valueOf(e.getMessage()), Map.of());
        } catch (ClientGone e) {
            note("GONE", call, new byte[0]);
        }
    }

    /// Empty if that was all; else the name of what only the method itself can do wrong, which may be nothing.
    private Optional<String> meet(String method, GrpcCall call) throws InterruptedException {
        while (true) {
            var fault = faults.next(method);
            if (fault.isEmpty()) return Optional.of("");
            if (fault.get() instanceof Kind.Special(var name) && !name.equals("refused_stream"))
                return Optional.of(name);
            if (meet(fault.get(), call)) return Optional.empty();
            if (!(fault.get() instanceof Kind.Delay)) return Optional.of("");
        }
    }

    /// Whether that was all.
    private boolean meet(Kind fault, GrpcCall call) throws InterruptedException {
        switch (fault) {
            case Kind.Answer(var status, var headers, var body) -> {
                if (status < 100) call.end(Status.fromCodeValue(status).getCode(), body, headers);
                else call.plain(status, headers, body);
                return true;
            }
            case Kind.Special _ -> {
                call.reset(GrpcCall.REFUSED_STREAM);
                return true;
            }
            case Kind.Stall _ -> call.manner(GrpcCall.Manner.MUTE);
            case Kind.Lose _ -> call.manner(GrpcCall.Manner.LOSING);
            case Kind.Cut(var after) -> call.cutAfter(after);
            case Kind.Delay(var by) -> Thread.sleep(by);
        }
        return false;
    }

    private boolean isAuthenticated(GrpcCall call) {
        String token = settings.token();
        return call.header("authorization").equals("Bearer " + token)
                || call.header("x-session-token").equals(token)
                || call.header("cookie").equals("tenki_session=" + token);
    }

    private void note(String what, GrpcCall call, byte[] message) {
        journal.add(new Journal.Entry(
                Instant.now(),
                what,
                call.path(),
                call.headers(),
                Base64.getEncoder().encodeToString(message)));
    }

    @Override
    public void close() {
        controls.close();
        // First, so that streams can still be told.
        machines.close();
        control.close();
        data.close();
    }
}
