package hermit;

import hermit.access.FailedJoins;
import hermit.access.Gate;
import hermit.access.Members;
import hermit.access.RoutePolicies;
import hermit.access.SecurityPolicies;
import hermit.access.http.AgentsOfCaller;
import hermit.access.http.Callers;
import hermit.access.http.LoginRoutes;
import hermit.access.http.MemberRoutes;
import hermit.access.http.SecurityRoutes;
import hermit.access.http.TokenRoutes;
import hermit.access.http.UserRoutes;
import hermit.access.sql.SqlMembershipStore;
import hermit.access.sql.SqlSecurityStore;
import hermit.agent.Agents;
import hermit.agent.http.AgentRoutes;
import hermit.agent.sql.SqlAgentStore;
import hermit.approval.ApprovalFeed;
import hermit.approval.ApprovalRules;
import hermit.approval.Approvals;
import hermit.approval.ApprovedRuns;
import hermit.approval.Deciders;
import hermit.approval.GatedRules;
import hermit.approval.http.ApprovalRoutes;
import hermit.approval.sql.SqlApprovalStore;
import hermit.approval.sql.SqlRuleStore;
import hermit.audit.Audit;
import hermit.audit.AuditedCommands;
import hermit.audit.SwitchedAudit;
import hermit.audit.http.AuditRoutes;
import hermit.audit.http.AuditedRequests;
import hermit.audit.sql.SqlAuditStore;
import hermit.command.Commands;
import hermit.command.ExecLimits;
import hermit.command.ExecRetention;
import hermit.command.LostCommands;
import hermit.command.SandboxFiles;
import hermit.command.Terminals;
import hermit.command.Watch;
import hermit.command.http.ExecMetrics;
import hermit.command.http.ExecRoutes;
import hermit.command.http.FileRoutes;
import hermit.command.http.TerminalRoutes;
import hermit.command.sql.SqlExecStore;
import hermit.config.DatabaseSettings;
import hermit.config.ModelSettings;
import hermit.config.Secret;
import hermit.db.Database;
import hermit.db.TestDatabase;
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
import hermit.identity.Logins;
import hermit.identity.Tokens;
import hermit.identity.Users;
import hermit.identity.sql.SqlLoginStore;
import hermit.identity.sql.SqlTokenStore;
import hermit.identity.sql.SqlUserStore;
import hermit.mcp.Calls;
import hermit.mcp.McpSessions;
import hermit.mcp.WorkspaceFiles;
import hermit.mcp.http.McpMethods;
import hermit.mcp.http.McpRoutes;
import hermit.model.ConfiguredModels;
import hermit.sandbox.Backends;
import hermit.sandbox.Leftovers;
import hermit.sandbox.Machines;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandboxes;
import hermit.sandbox.http.LeftoverRoutes;
import hermit.sandbox.http.ProvisioningRoutes;
import hermit.sandbox.http.SandboxRoutes;
import hermit.sandbox.sql.SqlLeaseStore;
import hermit.sandbox.sql.SqlSandboxStore;
import hermit.session.Authors;
import hermit.session.Redaction;
import hermit.session.SessionEvent;
import hermit.session.SessionId;
import hermit.session.SessionLog;
import hermit.session.SessionMachines;
import hermit.session.Sessions;
import hermit.session.http.SessionRoutes;
import hermit.session.sql.LogRows;
import hermit.session.sql.SqlSessionStore;
import hermit.skill.SkillSync;
import hermit.skill.Skills;
import hermit.skill.http.SkillRoutes;
import hermit.skill.sql.SqlSkillStore;
import hermit.tool.ApprovedTools;
import hermit.tool.Cancellation;
import hermit.tool.ToolSchemas;
import hermit.tool.Tools;
import hermit.tool.http.ToolRoutes;
import hermit.turn.Abandoned;
import hermit.turn.Asking;
import hermit.turn.AuditedCalls;
import hermit.turn.LostCalls;
import hermit.turn.Model;
import hermit.turn.ModelInfo;
import hermit.turn.Models;
import hermit.turn.SwitchedTurns;
import hermit.turn.ToolCalls;
import hermit.turn.TurnLimits;
import hermit.turn.TurnLoop;
import hermit.turn.Turns;
import hermit.turn.http.TurnMetrics;
import hermit.turn.http.TurnRoutes;
import hermit.turn.sql.SqlTurnStore;
import hermit.ui.UiFiles;
import hermit.ui.UiRoutes;
import hermit.world.Allowance;
import hermit.world.TestWorld;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// All features behind a real server at a free port; rows are kept in memory, and docker's machines exist
/// there only.
public final class TestGateway implements AutoCloseable {
    /// Few, so that tests can exceed them.
    public static final int AGENTS_PER_HOUR = 3;

    public static final int SANDBOXES_PER_AGENT = 6;
    public static final int EXECS_PER_CALLER = 4;
    public static final int STREAMS_PER_CALLER = 5;

    /// Of a turn.
    public static final int MAX_STEPS = 6;

    public static final Duration MAX_TIME = Duration.ofMinutes(30);
    /// At once.
    public static final int MAX_TURNS = 8;
    /// More than may wait in one session.
    public static final int TURNS_PER_CALLER = 55;

    public final TestWorld time;
    public final FakeProvider docker;
    public final FakeProvider e2b = new FakeProvider(BackendType.E2B);
    public final TestClient client;
    public volatile boolean databaseUp = true;
    public final SwitchedTurns turnStore;
    /// Holds calls of tools that are about to ask a person.
    public final GatedRules rules;
    public final SwitchedAudit audited;
    /// Answers in place of the models that agents have.
    public volatile Optional<Model> model = Optional.empty();
    /// Where skills are looked for.
    public final Path skillsFolder;

    private final Path directory;
    private final DatabaseSettings settings;
    private final UUID id;
    private final Database database;
    private final SqlExecStore execs;
    private final Machines machines;
    private final Watch watch;
    private final SqlSessionStore sessionStore;
    private final SessionLog sessionLog;
    private final ApprovalFeed approvalFeed;
    private final Approvals approvals;
    private final ApprovedRuns runs;
    private final SessionMachines sessionMachines;
    private final Sessions sessions;
    private final Cancellation cancellation;
    private final Commands commands;
    private final Calls mcpCalls;
    private final Map<String, ModelSettings> models;
    private final ConfiguredModels openedModels;
    private final Turns turns;
    private final Audit audit;
    private final List<Routes> routes;
    private final HttpServer server;

    public TestGateway() {
        this(Optional.of("docker-ubuntu"));
    }

    /// With this preset for new agents.
    public TestGateway(Optional<String> autoProvision) {
        this(TestDatabase.SQLITE, autoProvision);
    }

    /// With its rows in this database.
    public TestGateway(TestDatabase kind, Optional<String> autoProvision) {
        this(kind, autoProvision, directory());
    }

    private TestGateway(TestDatabase kind, Optional<String> autoProvision, Path directory) {
        this(
                kind.migrated(directory),
                directory,
                new UUID(1, 1),
                new TestWorld(),
                new FakeProvider(BackendType.DOCKER),
                Map.of(),
                autoProvision);
    }

    /// With these models for agents.
    public static TestGateway with(TestDatabase kind, Map<String, ModelSettings> models) {
        Path directory = directory();
        return new TestGateway(
                kind.migrated(directory),
                directory,
                new UUID(1, 1),
                new TestWorld(),
                new FakeProvider(BackendType.DOCKER),
                models,
                Optional.of("docker-ubuntu"));
    }

    /// The same gateway after this one has died in the middle of whatever it did.
    public TestGateway restarted() {
        client.close();
        server.close();
        mcpCalls.close();
        runs.close();
        watch.close();
        machines.close();
        database.close();
        return new TestGateway(settings, directory, id, time, docker, models, Optional.of("docker-ubuntu"));
    }

    /// Another one with the same rows, machines and time, which only several gateways on one PostgreSQL have.
    public TestGateway neighbour() {
        return new TestGateway(
                settings,
                directory(),
                new UUID(id.getMostSignificantBits() + 1, 1),
                time,
                docker,
                models,
                Optional.of("docker-ubuntu"));
    }

    private TestGateway(
            DatabaseSettings settings,
            Path directory,
            UUID id,
            TestWorld time,
            FakeProvider docker,
            Map<String, ModelSettings> models,
            Optional<String> autoProvision) {
        this.settings = settings;
        this.models = models;
        this.directory = directory;
        this.id = id;
        this.time = time;
        this.docker = docker;
        database = Database.open(settings);
        var agentStore = new SqlAgentStore(database);
        var stores = new SqlSandboxStore(database);
        execs = new SqlExecStore(database);
        var memberships = new SqlMembershipStore(database);
        var world = time.world(id.getMostSignificantBits());
        var meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var backends = new Backends(List.of(docker, e2b));
        var presets = new Presets(
                List.of(
                        new Preset(
                                "docker-ubuntu",
                                BackendConfig.of(BackendType.DOCKER, Map.of("image", "debian:13"), "")),
                        new Preset("e2b-default", BackendConfig.of(BackendType.E2B, Map.of("template", "base"), ""))),
                autoProvision);
        var agents = new Agents(agentStore, models.keySet(), world);
        machines = new Machines(stores, backends, new SqlLeaseStore(database), id, world);
        var sandboxes = new Sandboxes(agents, stores, backends, machines, SANDBOXES_PER_AGENT, world);
        var execMetrics = new ExecMetrics(meters);
        audited = new SwitchedAudit(new SqlAuditStore(database));
        audit = new Audit(audited, id, world);
        watch = new Watch(execs, world, execMetrics, new AuditedCommands(audit, stores::find, true));
        execMetrics.running(watch);
        var limits = ExecLimits.DEFAULT.withPerCaller(EXECS_PER_CALLER);
        commands = new Commands(sandboxes, machines, execs, watch, limits, id, world);
        var users = new Users(new SqlUserStore(database), world);
        var tokens = new Tokens(new SqlTokenStore(database), agents, world);
        var logins = new Logins(new SqlLoginStore(database), world);
        var members = new Members(memberships, users, new FailedJoins(world.clock()), world);
        var files = new SandboxFiles(sandboxes, machines, world);
        skillsFolder = directory.resolve("skills");
        var skillStore = new SqlSkillStore(database);
        var skillSync = new SkillSync(skillStore, stores, machines, files, world);
        machines.onArrival(Machines.Arrival.each(List.of(new LostCommands(execs, machines, world), skillSync)));
        var skills = new Skills(agents, skillStore, skillSync, skillsFolder, world);
        var gate = new Gate(memberships, true);
        var secrets = new ArrayList<>(List.of(TestClient.TOKEN));
        models.values().forEach(each -> each.apiKey().map(Secret::reveal).ifPresent(secrets::add));
        var redaction = new Redaction(secrets);
        var logRows = new LogRows(redaction);
        sessionStore = new SqlSessionStore(database, logRows);
        sessionLog = new SessionLog(sessionStore, world);
        var authors = new Authors(gate, tokens);
        var approvalStore = new SqlApprovalStore(database, logRows::append);
        approvalFeed = new ApprovalFeed(approvalStore);
        var deciders = new Deciders(gate, memberships);
        approvals = new Approvals(approvalStore, approvalFeed, sessionLog, deciders, world);
        this.rules = new GatedRules(new SqlRuleStore(database));
        var rules = new ApprovalRules(this.rules, deciders, world);
        runs = new ApprovedRuns(
                approvalStore,
                approvals,
                new ApprovedTools(authors, stores, commands, files, sessionStore, redaction, world),
                id,
                world);
        sessionMachines = new SessionMachines(agentStore, stores, sessionStore, machines);
        sessions = new Sessions(
                sessionStore,
                sessionLog,
                gate,
                members,
                users,
                authors,
                sessionMachines,
                () -> {
                    approvals.settle();
                    rules.prune();
                },
                Duration.ofMinutes(60),
                world);
        var tools = new Tools(
                sessions, sessionStore, sessionLog, sandboxes, commands, files, approvals, rules, redaction, id, world);
        cancellation = new Cancellation(sessionStore, sessionLog, approvals, commands, world);
        mcpCalls = new Calls(tools, approvals, commands);
        var mcpMethods = new McpMethods(
                sandboxes, new ToolSchemas(limits), mcpCalls, new WorkspaceFiles(stores, machines, files), world);
        var turnMetrics = new TurnMetrics(meters);
        openedModels = new ConfiguredModels(models, world);
        turnStore = new SwitchedTurns(new SqlTurnStore(database, logRows::write));
        var turnLimits = new TurnLimits(MAX_STEPS, MAX_TIME, MAX_TURNS, TURNS_PER_CALLER);
        var lostCalls = new LostCalls(sessionStore, approvals);
        var turnLoop = new TurnLoop(
                turnStore,
                sessions,
                agents,
                sandboxes,
                skills,
                models(),
                new ToolSchemas(limits),
                new Asking(redaction, world),
                new ToolCalls(new AuditedCalls(tools, audit, redaction), lostCalls, sessionStore, commands, world),
                redaction,
                turnLimits,
                turnMetrics,
                id);
        turns = new Turns(
                turnStore,
                sessionLog,
                agents,
                models(),
                turnLoop,
                new Abandoned(turnStore, sessionLog, lostCalls, turnMetrics, id, world),
                turnLimits,
                turnMetrics,
                id,
                world);
        turnMetrics.running(turns);
        cancellation.onCancel(turns);
        var failedLogins = new FailedLogins(world.clock());
        var callers = new Callers(new AdminToken(TestClient.TOKEN, failedLogins), tokens, logins, failedLogins);
        var readiness = new ReadinessCheck(
                () -> new ReadinessCheck.Outcome(databaseUp, "memory"),
                Map.of("docker", () -> {
                    var health = docker.health();
                    return new ReadinessCheck.Outcome(health.up(), health.detail());
                }),
                Map.of("e2b", "no key", "daytona", "no key", "tenki", "no key"),
                ReadinessCheck.PATIENCE);
        routes = List.of(
                new StatusRoutes(readiness, meters),
                new AgentRoutes(agents, new AgentsOfCaller(memberships)),
                new SecurityRoutes(new SecurityPolicies(agents, new SqlSecurityStore(database), world)),
                new MemberRoutes(members),
                new UserRoutes(users),
                new TokenRoutes(tokens),
                new LoginRoutes(callers, logins, users, gate),
                new ProvisioningRoutes(
                        new Provisioning(agents, stores, sandboxes, backends, presets, world),
                        presets,
                        new Allowance<>(AGENTS_PER_HOUR, Duration.ofMinutes(20), world.clock())),
                new SandboxRoutes(sandboxes, presets),
                new LeftoverRoutes(new Leftovers(stores, backends)),
                new ExecRoutes(commands),
                new TerminalRoutes(new Terminals(sandboxes, commands, watch, world)),
                new FileRoutes(files),
                new SkillRoutes(skills),
                new SessionRoutes(sessions),
                new ApprovalRoutes(approvals, rules, runs),
                new ToolRoutes(sessions, tools, cancellation),
                new McpRoutes(new McpSessions(sessions), mcpMethods),
                new TurnRoutes(sessions, turns),
                new AuditRoutes(audit, agents),
                new UiRoutes(UiFiles.ofTheBuild(), world.random()));
        server = HttpServer.start(
                new HttpSettings(
                        "127.0.0.1",
                        0,
                        Set.of(),
                        Set.of(),
                        Set.of(),
                        HttpSettings.MAX_STREAMS,
                        STREAMS_PER_CALLER,
                        Duration.ofMillis(100),
                        HttpSettings.HEARTBEAT),
                routes,
                RoutePolicies.ofTheGateway(),
                callers,
                gate,
                new AuditedRequests(audit, world.clock()),
                meters,
                world);
        client = new TestClient(server.port());
    }

    private Models models() {
        return new Models() {
            @Override
            public List<ModelInfo> all() {
                return openedModels.all();
            }

            @Override
            public Optional<Model> find(String name) {
                return model.or(() -> openedModels.find(name));
            }
        };
    }

    public int port() {
        return server.port();
    }

    public List<Routes> routes() {
        return routes;
    }

    @Override
    public void close() {
        if (!Files.exists(directory)) return; // a test that wants to see it closing has closed it
        client.close();
        server.close();
        mcpCalls.close();
        turns.close();
        openedModels.close();
        runs.close();
        sessionMachines.close();
        watch.close();
        machines.close();
        database.close();
        try {
            try (var files = Files.walk(directory)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What the gateway does every few seconds.
    public void recheckStreams() {
        server.recheckStreams();
        sessionLog.recheck();
    }

    /// What the gateway does twice a second.
    public void poll() {
        sessionLog.poll();
        approvalFeed.poll();
        runs.sweep();
        commands.endCancelled();
        turns.sweep();
        turns.tick();
    }

    /// What the gateway does every half minute, with this quota.
    public void keepOutputTo(long bytes) throws InterruptedException {
        new ExecRetention(execs, Duration.ofDays(7), bytes, time.world()).keepToQuota();
    }

    /// What the gateway does several times a second.
    public void tick() {
        turns.tick();
    }

    /// What a gateway does first when it is stopped.
    public void stopTurns() {
        turns.close();
    }

    /// All that a session's log says; `location` ends with the session's id.
    public List<SessionEvent> log(String location) {
        return sessionStore.events(sessionAt(location), 0, EnumSet.allOf(SessionEvent.Type.class), 10_000);
    }

    /// Writes so many messages into a session's log at once; `text` is given the number of each, from 1.
    public void say(String location, int messages, IntFunction<String> text) {
        var drafts = IntStream.rangeClosed(1, messages)
                .mapToObj(i -> new SessionEvent.Draft(
                        SessionEvent.Type.USER_MESSAGE, Map.of("author", "admin", "text", text.apply(i))))
                .toArray(SessionEvent.Draft[]::new);
        sessionLog.append(sessionAt(location), true, drafts);
    }

    private static SessionId sessionAt(String location) {
        return SessionId.parse(location.substring(location.lastIndexOf('/') + 1))
                .orElseThrow();
    }

    /// What the gateway does now and then.
    public void endSilentSessions() {
        sessions.endSilent();
    }

    /// Waits for what goes on by itself: approved calls, and machines that sessions bring up or shut down.
    public void settle() throws InterruptedException {
        runs.settle();
        turns.settle();
        sessionMachines.settle();
    }

    private static Path directory() {
        try {
            return Files.createTempDirectory("hermit-test-gateway");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
