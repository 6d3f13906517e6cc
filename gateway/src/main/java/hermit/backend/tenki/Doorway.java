package hermit.backend.tenki;

import hermit.backend.keeper.Scheduler;
import hermit.exec.MachineGone;
import hermit.tenki.wire.CreateSessionCredentialRequest;
import hermit.tenki.wire.CreateSessionCredentialResponse;
import hermit.tenki.wire.DataPlaneRouteStatus;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceGrpc;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceStatRequest;
import hermit.tenki.wire.StatRequest;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The way into one session: the server and the short-lived credential that the control plane names. A new credential
/// is fetched at half of its life, when it is needed; streams that are open do not mind.
final class Doorway {
    private static final Metadata.Key<String> CERTIFICATE =
            Metadata.Key.of("x-tenki-session-cert", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LONGEST_CERTIFICATE = 16_384;
    /// Where Tenki does not say when it ends.
    private static final Duration ASSUMED_LIFE = Duration.ofMinutes(5);

    private static final Duration SHORTEST_LIFE = Duration.ofSeconds(1);
    private static final int STEP_MS = 50;
    private static final int LONGEST_WAIT_MS = 750;
    private static final String PROBED = "/home/tenki";

    private final ControlPlane control;
    private final Sessions sessions;
    private final Channels channels;
    private final TenkiSettings settings;
    private final Scheduler scheduler;
    private final String session;

    private final ReentrantLock lock = new ReentrantLock();
    private Optional<Pass> current = Optional.empty();
    /// The server to which the way has been seen to be open.
    private Optional<URI> proven = Optional.empty();

    /// What a call into the session needs.
    record Pass(URI server, String certificate, Instant renewAt, Instant until) {
        Metadata headers() {
            var headers = new Metadata();
            headers.put(CERTIFICATE, certificate);
            return headers;
        }

        <Q, A> MethodDescriptor<Q, A> method(MethodDescriptor<Q, A> method) {
            return Channels.below(server, method);
        }

        /// Without the certificate.
        @Override
        public String toString() {
            return server.toString();
        }
    }

    /// It is to be tried again in a moment.
    private static final class NotYet extends Exception {
        NotYet(String message) {
            super(message);
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    Doorway(
            ControlPlane control,
            Sessions sessions,
            Channels channels,
            TenkiSettings settings,
            Scheduler scheduler,
            String session) {
        this.control = control;
        this.sessions = sessions;
        this.channels = channels;
        this.settings = settings;
        this.scheduler = scheduler;
        this.session = session;
    }

    Channel channel(Pass pass) {
        return channels.to(pass.server);
    }

    /// Waits until the session can be entered, at most until `end` by the scheduler's nanoseconds.
    Pass enter(long end) throws IOException, MachineGone, InterruptedException {
        lock.lockInterruptibly();
        try {
            for (int attempt = 1; ; attempt++) {
                try {
                    var pass = valid();
                    if (!proven.equals(Optional.of(pass.server))) probe(pass);
                    return pass;
                } catch (NotYet e) {
                    rest(attempt, end, e.getMessage());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /// Between attempts; throws when the time is over.
    void rest(int attempt, long end, String why) throws IOException, InterruptedException {
        long left = end - scheduler.nanos();
        if (left <= 0) throw new IOException("sandbox %s cannot be entered yet: %s".formatted(session, why));
        var wait = Duration.ofMillis(Math.min((long) STEP_MS * attempt, LONGEST_WAIT_MS));
        scheduler.pause(wait.toNanos() < left ? wait : Duration.ofNanos(left));
    }

    /// The session did not accept it.
    void refused(Pass pass) {
        lock.lock();
        try {
            if (current.equals(Optional.of(pass))) current = Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /// The way turned out not to be open.
    void unproven(Pass pass) {
        lock.lock();
        try {
            if (proven.equals(Optional.of(pass.server))) proven = Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private Pass valid() throws NotYet, IOException, MachineGone, InterruptedException {
        var known = current;
        if (known.isPresent() && scheduler.instant().isBefore(known.get().renewAt)) return known.get();
        try {
            var answer = control.again(
                    SandboxServiceGrpc.getCreateSessionCredentialMethod(),
                    CreateSessionCredentialRequest.newBuilder()
                            .setSessionId(session)
                            .build());
            var pass = read(answer);
            current = Optional.of(pass);
            return pass;
        } catch (CallFailed e) {
            if (e.isPassing() && known.isPresent() && scheduler.instant().isBefore(known.get().until))
                return known.get();
            throw notEntered(e);
        }
    }

    /// What it means that no credential is given. Throws what is more than a matter of time.
    private NotYet notEntered(CallFailed e) throws IOException, MachineGone, InterruptedException {
        if (e.isNoSession() || e.isOutOfService()) throw new MachineGone(says(e), e);
        if (e.isPrecondition()) {
            // Said of a session that is not ready yet as well as of one that will not be.
            if (willNotRun()) throw new MachineGone(says(e), e);
            return new NotYet(e.getMessage());
        }
        if (e.isNoRoute()) return new NotYet(e.getMessage());
        if (e.isPassing() || e.isTooOften()) throw new IOException(says(e), e);
        throw e.toGateway("enter sandbox " + session);
    }

    private boolean willNotRun() throws InterruptedException {
        try {
            var found = sessions.find(session);
            if (found.isEmpty()) return true;
            return switch (found.get().getState()) {
                case SESSION_STATE_PAUSED, SESSION_STATE_PAUSING, SESSION_STATE_USER_SHUTDOWN -> true;
                default -> false;
            };
        } catch (CallFailed e) {
            return false; // the next attempt sees more
        }
    }

    private String says(CallFailed e) {
        return "enter sandbox %s: Tenki says %s".formatted(session, e.getMessage());
    }

    private Pass read(CreateSessionCredentialResponse answer) throws NotYet, IOException {
        var status = answer.getRouteStatus();
        if (status == DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_NOT_READY)
            throw new NotYet("Tenki says that the way is not ready");
        if (status == DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_FAILED)
            throw new IOException("enter sandbox %s: Tenki says that the way has failed".formatted(session));
        // An empty one means that the known one stays.
        var server = answer.getDataPlaneEndpoint().isEmpty()
                ? current.map(Pass::server)
                        .or(() -> proven)
                        .orElseThrow(
                                () -> new IOException("enter sandbox %s: Tenki names no server".formatted(session)))
                : server(answer.getDataPlaneEndpoint());
        if (status == DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_VERIFIED) proven = Optional.of(server);
        String certificate = answer.getCredential().getCredential();
        if (certificate.isEmpty()
                || certificate.length() > LONGEST_CERTIFICATE
                || !certificate.chars().allMatch(c -> c >= ' ' && c <= '~'))
            throw new IOException("enter sandbox %s: Tenki gives no usable credential".formatted(session));
        var now = scheduler.instant();
        var until = answer.getCredential().hasExpiresAt()
                ? SessionStates.instant(answer.getCredential().getExpiresAt()).orElse(now.plus(ASSUMED_LIFE))
                : now.plus(ASSUMED_LIFE);
        var half = Duration.between(now, until).dividedBy(2);
        return new Pass(server, certificate, now.plus(half.compareTo(SHORTEST_LIFE) < 0 ? SHORTEST_LIFE : half), until);
    }

    private URI server(String endpoint) throws IOException {
        try {
            var server = new URI(endpoint);
            String problem = Channels.problem(server);
            // The credential would travel in the open.
            if (problem.isEmpty()
                    && control.server().getScheme().equals("https")
                    && !server.getScheme().equals("https")) problem = "it is not https";
            if (problem.isEmpty()) return server;
            throw new IOException(
                    "enter sandbox %s: Tenki names a server that cannot be used: %s".formatted(session, problem));
        } catch (URISyntaxException e) {
            throw new IOException("enter sandbox %s: Tenki names a server that is no address".formatted(session), e);
        }
    }

    /// Any answer but a 404 of the edge proves that the way is open.
    private void probe(Pass pass) throws NotYet, InterruptedException {
        try {
            Calls.call(
                    channel(pass),
                    pass.method(SandboxSessionDataPlaneServiceGrpc.getStatMethod()),
                    pass.headers(),
                    settings.callWithin(),
                    SandboxSessionDataPlaneServiceStatRequest.newBuilder()
                            .setRequest(StatRequest.newBuilder()
                                    .setSessionId(session)
                                    .setPath(PROBED))
                            .build());
        } catch (CallFailed e) {
            if (e.isNoRoute() || e.isRefused()) throw new NotYet(e.getMessage());
        }
        proven = Optional.of(pass.server);
    }
}
