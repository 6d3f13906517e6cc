package hermit.fake.daytona;

import hermit.fake.Box;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.util.Optional;

/// The proxy in front of the daemons: lets in who has the key, to a sandbox that runs.
final class Toolbox {
    static final String BASE = "/toolbox/{id}";

    private final Settings settings;
    private final Machines machines;
    private final Wire wire;

    /// A sandbox that runs, and the request to its daemon.
    record Visit(Context context, Machine machine, Box box) {
        String user() {
            return machine.wanted().user();
        }

        String home() throws InterruptedException {
            return box.home(user());
        }

        /// Relative paths are the work directory's.
        String absolute(String path) throws InterruptedException {
            return path.startsWith("/") ? path : home() + "/" + path;
        }

        /// A parameter that must be there.
        String query(String name) {
            return Optional.ofNullable(context.queryParam(name))
                    .orElseThrow(() -> Refused.badRequest(name + " is required"));
        }
    }

    @FunctionalInterface
    interface Visiting {
        void answer(Visit visit) throws InterruptedException;
    }

    Toolbox(Settings settings, Machines machines, Wire wire) {
        this.settings = settings;
        this.machines = machines;
        this.wire = wire;
    }

    void on(JavalinConfig config, HandlerType method, String path, String operation, Visiting visiting) {
        wire.on(config, method, BASE + path, operation, context -> {
            var visit = enter(context);
            visit.machine.streams(1);
            try {
                visiting.answer(visit);
            } finally {
                visit.machine.streams(-1);
            }
        });
    }

    void beforeUpgrade(JavalinConfig config, String path, String operation, Visiting check) {
        wire.beforeUpgrade(config, BASE + path, operation, context -> check.answer(enter(context)));
    }

    /// As of a WebSocket that has been let in.
    Optional<Machine> machine(String id) {
        return machines.find(id);
    }

    private Visit enter(Context context) {
        var machine = machines.find(context.pathParam("id"))
                .filter(each -> each.id().equals(context.pathParam("id")))
                .filter(each -> each.state() != State.DESTROYING);
        boolean known = ("Bearer " + settings.apiKey()).equals(context.header("Authorization"));
        if (machine.isEmpty() || !known)
            throw Refused.proxy(401, "UNAUTHORIZED", "unauthorized: authentication failed: Bearer token is invalid");
        return switch (machine.get().state()) {
            case STARTED -> {
                if (context.header("X-Daytona-Skip-Last-Activity-Update") == null)
                    machine.get().touch();
                yield new Visit(context, machine.get(), machine.get().box().orElseThrow());
            }
            case ARCHIVED, ARCHIVING, RESTORING ->
                throw Refused.proxy(400, "BAD_REQUEST", "bad request: failed to get runner info");
            default ->
                throw Refused.proxy(
                        400,
                        "BAD_REQUEST",
                        "bad request: failed to resolve container IP after 3 attempts: no IP address found."
                                + " Is the Sandbox started?");
        };
    }
}
