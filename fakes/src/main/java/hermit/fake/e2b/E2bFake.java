package hermit.fake.e2b;

import hermit.fake.FakeProvider;
import hermit.fake.Fault;
import hermit.fake.Faults;
import hermit.fake.Journal;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// E2B's wire on one port of this machine: the control plane, and with the routing headers (or a host name
/// `49983-ID.anything`) the daemon of each sandbox. Set both `E2B_API_URL` and `E2B_SANDBOX_URL` to [#address].
///
/// **Faults** strike these operations: `create`, `info`, `list`, `connect`, `timeout`, `pause`, `kill`; of the daemon
/// `health`, `start`, `attach`, `processes`, `input`, `close_stdin`, `signal`, `stat`, `list_dir`, `make_dir`, `move`,
/// `remove`, `upload`, `download`; and `edge`, which is any call to a sandbox that has no fault of its own waiting.
/// Special ones: `changed_id` (of `connect`: the sandbox has another id from there on, the old one is unknown) and
/// `not_up` (of `edge`: nothing listens on the daemon's port yet).
///
/// **By hand** ([FakeControl]): a sandbox can be paused, deleted, made to reach its time limit, frozen
/// while it seems to run, rebooted, or given any word for its state.
///
/// **Without**: terminals, watches, signed addresses, metrics, snapshots, forks, network rules, protobuf bodies. The
/// keys are not real: any request with the one key of the settings is of the one team.
public final class E2bFake implements FakeProvider {
    /// Of a request's body in the journal.
    private static final int JOURNAL_BODY = 4_096;

    private final Faults faults = new Faults();
    private final Journal journal = new Journal();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Machines machines;
    private final ControlPlane control;
    private final Daemon daemon;
    private final FakeControl byHand;
    private final Wire wire;

    /// - `port`: 0 for a free one.
    /// - `image`: of the local engine, for every template.
    /// - `user`: the template's user.
    /// - `memory`: of a sandbox, in bytes.
    /// - `longestHours`: the highest time limit that the team's plan allows.
    /// - `v2`: whether create and connect are there under `/v2`, too.
    /// - `clock`: decides when a sandbox's time is over.
    public record Settings(
            String host,
            int port,
            String apiKey,
            String image,
            String user,
            Set<String> templates,
            OptionalLong memory,
            int longestHours,
            String envdVersion,
            boolean v2,
            InstantSource clock) {
        /// A placeholder, which looks like the provider's.
        public static final String API_KEY = "e2b_0000000000000000000000000000000000000000";

        public Settings {
            templates = Set.copyOf(templates);
        }

        public static Settings of(String image) {
            return new Settings(
                    "127.0.0.1",
                    0,
                    API_KEY,
                    image,
                    "user",
                    Set.of("base"),
                    OptionalLong.empty(),
                    24,
                    "0.6.13",
                    true,
                    InstantSource.system());
        }

        public Settings withPort(int number) {
            return new Settings(
                    host, number, apiKey, image, user, templates, memory, longestHours, envdVersion, v2, clock);
        }

        public Settings withMemory(long bytes) {
            return new Settings(
                    host,
                    port,
                    apiKey,
                    image,
                    user,
                    templates,
                    OptionalLong.of(bytes),
                    longestHours,
                    envdVersion,
                    v2,
                    clock);
        }

        public Settings withLongestHours(int hours) {
            return new Settings(host, port, apiKey, image, user, templates, memory, hours, envdVersion, v2, clock);
        }

        public Settings withEnvd(String version) {
            return new Settings(host, port, apiKey, image, user, templates, memory, longestHours, version, v2, clock);
        }

        public Settings withoutV2() {
            return new Settings(
                    host, port, apiKey, image, user, templates, memory, longestHours, envdVersion, false, clock);
        }

        public Settings withClock(InstantSource source) {
            return new Settings(
                    host, port, apiKey, image, user, templates, memory, longestHours, envdVersion, v2, source);
        }
    }

    private final Settings settings;

    private E2bFake(Settings settings) {
        this.settings = settings;
        this.machines = new Machines(settings);
        this.control = new ControlPlane(settings, machines);
        this.daemon = new Daemon(settings, machines);
        this.byHand = new FakeControl(machines, faults, journal);
        this.wire = Wire.listen(settings.host(), settings.port(), this::answer);
    }

    public static E2bFake start(Settings settings) {
        return new E2bFake(settings);
    }

    @Override
    public URI address() {
        return URI.create("http://%s:%d".formatted(settings.host(), wire.port()));
    }

    @Override
    public Faults faults() {
        return faults;
    }

    @Override
    public Journal journal() {
        return journal;
    }

    /// What can be done to its sandboxes behind a client's back.
    public FakeControl byHand() {
        return byHand;
    }

    @Override
    public void close() {
        closing.countDown();
        machines.close();
        wire.close();
    }

    private Answer answer(Call call) throws IOException, InterruptedException {
        if (call.path().startsWith("/_fake/")) return byHand.answer(call);
        journal.add(new Journal.Entry(
                settings.clock().instant(), call.method(), call.target(), call.headers(), text(call.body())));
        var route = Route.of(call);
        var fault = faults.next(route.operation())
                .or(() -> route.plane() == Route.Plane.SANDBOX ? faults.next("edge") : Optional.empty());
        if (fault.isEmpty()) return route(call, route);
        return switch (fault.get()) {
            case Fault.Kind.Answer(var status, var headers, var body) ->
                new Answer.Whole(status, headers, body.getBytes(StandardCharsets.UTF_8));
            case Fault.Kind.Delay(var by) -> {
                if (closing.await(by.toMillis(), TimeUnit.MILLISECONDS)) throw new Lost();
                yield route(call, route);
            }
            case Fault.Kind.Stall _ -> {
                route(call, route);
                closing.await();
                throw new Lost();
            }
            case Fault.Kind.Lose _ -> {
                route(call, route);
                throw new Lost();
            }
            case Fault.Kind.Cut(var after) -> cut(route(call, route), after);
            case Fault.Kind.Special(var name) -> route(call.with(name), route);
        };
    }

    private Answer route(Call call, Route route) throws InterruptedException {
        try {
            return switch (route.plane()) {
                case CONTROL -> control.answer(call, route);
                case SANDBOX -> daemon.answer(call, route);
            };
        } catch (Refused e) {
            return e.answer();
        }
    }

    private static Answer cut(Answer answer, int after) {
        return switch (answer) {
            case Answer.Whole whole ->
                new Answer.Streamed(whole.headers(), sink -> {
                    sink.write(Arrays.copyOf(whole.body(), Math.min(after, whole.body().length)));
                    throw new Lost();
                });
            case Answer.Streamed(var headers, var body) ->
                new Answer.Streamed(headers, sink -> body.writeTo(new Cutting(sink, after)));
        };
    }

    private static final class Cutting implements Answer.Sink {
        private final Answer.Sink sink;
        private int left;

        Cutting(Answer.Sink sink, int left) {
            this.sink = sink;
            this.left = left;
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            if (bytes.length <= left) {
                sink.write(bytes);
                left -= bytes.length;
                return;
            }
            sink.write(Arrays.copyOf(bytes, left));
            throw new Lost();
        }
    }

    private static String text(byte[] body) {
        byte[] head = body.length > JOURNAL_BODY ? Arrays.copyOf(body, JOURNAL_BODY) : body;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(head))
                    .toString();
        } catch (CharacterCodingException _) {
            return Base64.getEncoder().encodeToString(head);
        }
    }
}
