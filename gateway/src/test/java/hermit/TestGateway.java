package hermit;

import hermit.access.RoutePolicies;
import hermit.access.SecurityPolicies;
import hermit.access.http.SecurityRoutes;
import hermit.agent.Agents;
import hermit.agent.http.AgentRoutes;
import hermit.command.Commands;
import hermit.command.ExecLimits;
import hermit.command.MemoryExecStore;
import hermit.command.SandboxFiles;
import hermit.command.Terminals;
import hermit.command.Watch;
import hermit.command.http.ExecMetrics;
import hermit.command.http.ExecRoutes;
import hermit.command.http.FileRoutes;
import hermit.command.http.TerminalRoutes;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.FakeProvider;
import hermit.http.AdminToken;
import hermit.http.FailedLogins;
import hermit.http.HttpServer;
import hermit.http.HttpSettings;
import hermit.http.ReadinessCheck;
import hermit.http.Routes;
import hermit.http.StatusRoutes;
import hermit.http.TestClient;
import hermit.sandbox.Backends;
import hermit.sandbox.Machines;
import hermit.sandbox.MemoryStores;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandboxes;
import hermit.sandbox.http.ProvisioningRoutes;
import hermit.sandbox.http.SandboxRoutes;
import hermit.world.TestWorld;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// All features behind a real server at a free port; rows are kept in memory, and docker's machines exist
/// there only.
public final class TestGateway implements AutoCloseable {
    private static final UUID GATEWAY = new UUID(1, 1);

    public final TestWorld time = new TestWorld();
    public final MemoryStores stores = new MemoryStores();
    public final MemoryExecStore execs = new MemoryExecStore();
    public final FakeProvider docker = new FakeProvider(BackendType.DOCKER);
    public final TestClient client;
    public volatile boolean databaseUp = true;

    private final Machines machines;
    private final Watch watch;
    private final List<Routes> routes;
    private final HttpServer server;

    public TestGateway() {
        this(Optional.of("docker-ubuntu"));
    }

    /// With this preset for new agents.
    public TestGateway(Optional<String> autoProvision) {
        var world = time.world();
        var meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var backends = new Backends(List.of(docker));
        var presets = new Presets(
                List.of(
                        new Preset(
                                "docker-ubuntu",
                                BackendConfig.of(BackendType.DOCKER, Map.of("image", "debian:13"), "")),
                        new Preset("e2b-default", BackendConfig.of(BackendType.E2B, Map.of("template", "base"), ""))),
                autoProvision);
        var agents = new Agents(stores, world);
        machines = new Machines(stores, backends, stores, GATEWAY, world);
        var sandboxes = new Sandboxes(agents, stores, backends, machines, world);
        var execMetrics = new ExecMetrics(meters);
        watch = new Watch(execs, world, execMetrics);
        execMetrics.running(watch);
        var commands = new Commands(sandboxes, machines, execs, watch, ExecLimits.DEFAULT, GATEWAY, world);
        var readiness = new ReadinessCheck(
                () -> new ReadinessCheck.Outcome(databaseUp, "memory"),
                Map.of("docker", () -> {
                    var health = docker.health();
                    return new ReadinessCheck.Outcome(health.up(), health.detail());
                }),
                Set.of("e2b", "daytona", "tenki"),
                ReadinessCheck.PATIENCE);
        routes = List.of(
                new StatusRoutes(readiness, meters),
                new AgentRoutes(agents),
                new SecurityRoutes(new SecurityPolicies(agents, stores, world)),
                new ProvisioningRoutes(new Provisioning(agents, stores, sandboxes, backends, presets, world), presets),
                new SandboxRoutes(sandboxes, presets),
                new ExecRoutes(commands),
                new TerminalRoutes(new Terminals(sandboxes, commands, watch, world)),
                new FileRoutes(new SandboxFiles(sandboxes, machines, backends, world)));
        server = HttpServer.start(
                new HttpSettings(
                        "127.0.0.1",
                        0,
                        Set.of(),
                        Set.of(),
                        HttpSettings.MAX_STREAMS,
                        Duration.ofMillis(100),
                        HttpSettings.HEARTBEAT),
                routes,
                RoutePolicies.ofTheGateway(),
                new AdminToken(TestClient.TOKEN, new FailedLogins(world.clock())),
                meters,
                world);
        client = new TestClient(server.port());
    }

    public int port() {
        return server.port();
    }

    public List<Routes> routes() {
        return routes;
    }

    @Override
    public void close() {
        client.close();
        server.close();
        watch.close();
        machines.close();
    }
}
