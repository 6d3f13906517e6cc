package hermit;

import hermit.config.GatewayConfig;
import hermit.http.HttpServer;
import hermit.json.Json;
import hermit.problem.FieldError;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Invalid;
import hermit.world.World;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process: reads the configuration, opens the [Gateway], waits to be stopped, and closes it once. The only
/// class that asks the real clock, the environment and the terminal.
public final class Main {
    private static final Logger log = LoggerFactory.getLogger(Main.class);
    private static final String USAGE = "Usage: hermit-gateway [run | check-config [--json]]";

    private static final int OK = 0;
    private static final int FAILED = 1;
    // The two that follow have their numbers from sysexits.h.
    private static final int WRONG_USAGE = 64;
    private static final int WRONG_CONFIG = 78;

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;

    Main(Map<String, String> environment, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(new Main(System.getenv(), System.out, System.err).run(List.of(arguments)));
    }

    /// The exit code.
    int run(List<String> arguments) throws InterruptedException {
        try {
            if (arguments.isEmpty() || arguments.equals(List.of("run"))) {
                HttpServer.load();
                return serve(GatewayConfig.load(home(), environment));
            }
            if (arguments.equals(List.of("check-config"))) return check(false);
            if (arguments.equals(List.of("check-config", "--json"))) return check(true);
            err.println(USAGE);
            return WRONG_USAGE;
        } catch (Invalid e) {
            err.printf("hermit: the configuration in %s cannot be used:%n", home());
            for (FieldError each : e.errors()) err.printf("  %s: %s%n", each.path(), each.message());
            return WRONG_CONFIG;
        }
    }

    private int serve(GatewayConfig config) throws InterruptedException {
        config.warnings().forEach(log::warn);
        var stop = new StopSignal();
        var world = new World(Clock.systemUTC(), new SecureRandom(), Thread::sleep);
        try (var gateway = Gateway.open(config, world)) {
            log.info("listening on {}:{}, home {}", config.server().host(), gateway.port(), config.home());
            stop.await();
            log.info("stopping; sandboxes and their commands run on");
        } catch (GatewayException e) {
            err.println("hermit: the gateway cannot start: " + e.detail());
            return FAILED;
        }
        return OK;
    }

    private int check(boolean json) {
        GatewayConfig config = GatewayConfig.check(home(), environment);
        config.warnings().forEach(each -> err.println("hermit: " + each));
        if (json) out.println(Json.write(config.effective()));
        return OK;
    }

    private Path home() {
        return Optional.ofNullable(environment.get("HERMIT_HOME"))
                .filter(text -> !text.isEmpty())
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".hermit"));
    }
}
