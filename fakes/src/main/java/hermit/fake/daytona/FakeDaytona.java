package hermit.fake.daytona;

import hermit.fake.FakeProvider;
import hermit.fake.Faults;
import hermit.fake.Journal;
import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/// Daytona on a port of this machine: the API under `/api`, the toolbox under `/toolbox`, and
/// [ControlRoutes].
///
/// Operations that a fault can strike:
///
/// - of the API: `create`, `get`, `list`, `start`, `recover`, `stop`, `archive`, `pause`, `delete`,
/// `labels`, `last-activity`, `autostop`, `autoarchive`, `autodelete`, `toolbox-url`, `config`;
/// - of the toolbox: `exec`, `code-run`, `work-dir`, `home-dir`, `version`, `upload`, `download`, `files`,
/// `session`, `session-exec`, `session-logs`, `session-follow`, `pty-create`, `pty-connect` (the handshake;
/// `Cut` breaks the stream later), `pty`, `pty-delete`;
/// - of what goes on behind: `boot`, `restore`, `shutdown`, `archiving`, `removal` take longer with
/// `Delay`, and `boot` and `restore` end in an error with `Special` `error` or `recoverable-error`.
///
/// `Special` `lagging` for `list` leaves out everything. A snapshot or image whose name begins with
/// `missing` does not exist.
public final class FakeDaytona implements FakeProvider {
    private static final String HOST = "127.0.0.1";
    private static final Duration LONGEST_CHANGE = Duration.ofMinutes(1);
    private static final long LARGEST_BODY = 64L << 20;

    private final Javalin javalin;
    private final Machines machines;
    private final Wire wire;
    private final Faults faults;
    private final Journal journal;

    private FakeDaytona(Javalin javalin, Machines machines, Wire wire, Faults faults, Journal journal) {
        this.javalin = javalin;
        this.machines = machines;
        this.wire = wire;
        this.faults = faults;
        this.journal = journal;
    }

    /// Listens when it returns.
    public static FakeDaytona start(Settings settings) {
        var faults = new Faults();
        var journal = new Journal();
        var machines = new Machines(settings, faults);
        var wire = new Wire(faults, journal);
        var javalin = Javalin.create(config -> {
            configure(config, settings);
            var toolbox = new Toolbox(settings, machines, wire);
            new ApiRoutes(settings, machines, wire).add(config);
            new ExecRoutes(toolbox).add(config);
            new FileRoutes(toolbox, settings).add(config);
            new SessionRoutes(toolbox).add(config);
            new TerminalRoutes(toolbox, new Terminals(), settings).add(config);
            new ControlRoutes(machines, faults, journal).add(config);
        });
        javalin.start();
        return new FakeDaytona(javalin, machines, wire, faults, journal);
    }

    private static void configure(JavalinConfig config, Settings settings) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.http.maxRequestSize = LARGEST_BODY;
        config.concurrency.useVirtualThreads = true;
        config.jetty.host = HOST;
        config.jetty.port = settings.port();
        config.jetty.modifyWebSocketServletFactory(sockets -> {
            sockets.setMaxTextMessageSize(TerminalRoutes.LARGEST_MESSAGE);
            sockets.setMaxBinaryMessageSize(TerminalRoutes.LARGEST_MESSAGE);
        });
    }

    /// What `DAYTONA_API_URL` is to be.
    @Override
    public URI address() {
        return URI.create("http://%s:%d/api".formatted(HOST, javalin.port()));
    }

    @Override
    public Faults faults() {
        return faults;
    }

    @Override
    public Journal journal() {
        return journal;
    }

    /// Does something to a sandbox behind everybody's back: `stop`, `archive`, `delete`, `error` or
    /// `recoverable-error`.
    public void strike(String sandbox, String what) throws InterruptedException {
        machines.strike(machines.find(sandbox).orElseThrow(), what);
    }

    /// The ids of the sandboxes that there are, those that are going included.
    public List<String> sandboxes() {
        return machines.all().stream().map(Machine::id).toList();
    }

    /// The provider's word for the state of a sandbox, `destroyed` if it is gone.
    public String state(String sandbox) {
        return machines.find(sandbox).map(each -> each.state().toString()).orElse("destroyed");
    }

    /// Waits until no change of the sandbox is under way, for a minute at most.
    public void settle(String sandbox) throws InterruptedException {
        var machine = machines.find(sandbox);
        if (machine.isPresent()) machine.get().awaitStable(System.nanoTime() + LONGEST_CHANGE.toNanos());
    }

    @Override
    public void close() {
        wire.close();
        machines.close();
        javalin.stop();
    }
}
