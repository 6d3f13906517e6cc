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
import hermit.approval.http.ApprovalRoutes;
import hermit.approval.sql.SqlApprovalStore;
import hermit.approval.sql.SqlRuleStore;
import hermit.audit.Audit;
import hermit.audit.AuditedCommands;
import hermit.audit.http.AuditRoutes;
import hermit.audit.http.AuditedRequests;
import hermit.audit.sql.SqlAuditStore;
import hermit.backend.docker.DockerProvider;
import hermit.backend.docker.DockerSettings;
import hermit.backend.keeper.SystemScheduler;
import hermit.command.Commands;
import hermit.command.ExecRetention;
import hermit.command.LostCommands;
import hermit.command.Recovery;
import hermit.command.SandboxFiles;
import hermit.command.Terminals;
import hermit.command.Watch;
import hermit.command.http.ExecMetrics;
import hermit.command.http.ExecRoutes;
import hermit.command.http.FileRoutes;
import hermit.command.http.TerminalRoutes;
import hermit.command.sql.SqlExecStore;
import hermit.config.GatewayConfig;
import hermit.config.LimitSettings;
import hermit.config.ServerSettings;
import hermit.config.ServerSettings.AgentCreation;
import hermit.db.Database;
import hermit.exec.BackendProvider;
import hermit.http.AdminToken;
import hermit.http.FailedLogins;
import hermit.http.HttpServer;
import hermit.http.HttpSettings;
import hermit.http.ReadinessCheck;
import hermit.http.StatusRoutes;
import hermit.identity.Logins;
import hermit.identity.Tokens;
import hermit.identity.UserId;
import hermit.identity.Users;
import hermit.identity.sql.SqlLoginStore;
import hermit.identity.sql.SqlTokenStore;
import hermit.identity.sql.SqlUserStore;
import hermit.lifecycle.IdleReaper;
import hermit.mcp.Calls;
import hermit.mcp.McpSessions;
import hermit.mcp.WorkspaceFiles;
import hermit.mcp.http.McpMethods;
import hermit.mcp.http.McpRoutes;
import hermit.model.ConfiguredModels;
import hermit.sandbox.Backends;
import hermit.sandbox.Leftovers;
import hermit.sandbox.Machines;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandboxes;
import hermit.sandbox.http.LeftoverRoutes;
import hermit.sandbox.http.ProvisioningRoutes;
import hermit.sandbox.http.SandboxRoutes;
import hermit.sandbox.sql.SqlLeaseStore;
import hermit.sandbox.sql.SqlSandboxStore;
import hermit.session.Authors;
import hermit.session.Redaction;
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
import hermit.turn.ToolCalls;
import hermit.turn.TurnLoop;
import hermit.turn.Turns;
import hermit.turn.http.TurnMetrics;
import hermit.turn.http.TurnRoutes;
import hermit.turn.sql.SqlTurnStore;
import hermit.ui.UiFiles;
import hermit.ui.UiRoutes;
import hermit.world.Allowance;
import hermit.world.Ticker;
import hermit.world.World;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The whole gateway, built in the order in which it is read. No other class wires anything.
public final class Gateway implements AutoCloseable {
    /// A right that was taken away ends open streams within 5 s, also where another gateway took it.
    static final Duration RECHECK_EVERY = Duration.ofSeconds(2);
    /// What another gateway has written is seen here within a second.
    static final Duration POLL_EVERY = Duration.ofMillis(500);
    /// As often as the text of an answer may come in pieces.
    private static final Duration TICK_EVERY = Duration.ofMillis(250);

    private static final Duration SWEEP_EVERY = Duration.ofSeconds(30);
    private static final Duration PRUNE_EVERY = Duration.ofHours(1);

    private final Closer closer;
    private final int port;

    private Gateway(Closer closer, int port) {
        this.closer = closer;
        this.port = port;
    }

    /// Listens when it returns; what was opened is closed again if anything fails.
    public static Gateway open(GatewayConfig config, World world) throws InterruptedException {
        return Closer.opening(closer -> {
            UUID instance = config.instanceId();
            var meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            var database = closer.add(Database.open(config.database()));
            var agentStore = new SqlAgentStore(database);
            var sandboxStore = new SqlSandboxStore(database);
            var execStore = new SqlExecStore(database);

            var scheduler = closer.add(new SystemScheduler(world.clock()));
            var docker = closer.add(new DockerProvider(docker(config), scheduler, world.random()));
            docker.greet();
            var providers = new ArrayList<BackendProvider>(List.of(docker));
            for (var cloud : CloudBackends.of(config, scheduler, world.random())) providers.add(closer.add(cloud));
            var backends = new Backends(providers);
            var presets = config.presets();

            var agents = new Agents(agentStore, config.models().keySet(), world);
            var memberships = new SqlMembershipStore(database);
            var users = new Users(new SqlUserStore(database), world);
            var tokens = new Tokens(new SqlTokenStore(database), agents, world);
            var logins = new Logins(new SqlLoginStore(database), world);
            var members = new Members(memberships, users, new FailedJoins(world.clock()), world);
            var gate = new Gate(memberships, config.server().agentCreation() == AgentCreation.USERS);
            var failedLogins = new FailedLogins(world.clock());
            var callers = new Callers(
                    new AdminToken(config.adminToken().secret().reveal(), failedLogins), tokens, logins, failedLogins);

            var policies = new SecurityPolicies(agents, new SqlSecurityStore(database), world);
            var machines =
                    closer.add(new Machines(sandboxStore, backends, new SqlLeaseStore(database), instance, world));
            var sandboxes = new Sandboxes(
                    agents, sandboxStore, backends, machines, config.limits().sandboxesPerAgent(), world);
            var provisioning = new Provisioning(agents, sandboxStore, sandboxes, backends, presets, world);

            int perHour = config.limits().agentsPerHour();
            var creations = new Allowance<UserId>(perHour, Duration.ofHours(1).dividedBy(perHour), world.clock());

            var execMetrics = new ExecMetrics(meters);
            var audit = new Audit(new SqlAuditStore(database), instance, world);
            var auditedCommands = new AuditedCommands(
                    audit, sandboxStore::find, config.audit().commandText());
            var watch = closer.add(new Watch(execStore, world, execMetrics, auditedCommands));
            execMetrics.running(watch);
            var commands = new Commands(sandboxes, machines, execStore, watch, config.exec(), instance, world);
            var terminals = new Terminals(sandboxes, commands, watch, world);

            var files = new SandboxFiles(sandboxes, machines, world);

            var skillStore = new SqlSkillStore(database);
            var skillSync = new SkillSync(skillStore, sandboxStore, machines, files, world);
            machines.onArrival(Machines.Arrival.each(List.of(new LostCommands(execStore, machines, world), skillSync)));
            var skills = new Skills(agents, skillStore, skillSync, config.home().resolve("skills"), world);

            var redaction = new Redaction(config.secrets());
            var logRows = new LogRows(redaction);
            var sessionStore = new SqlSessionStore(database, logRows);
            var sessionLog = new SessionLog(sessionStore, world);
            var authors = new Authors(gate, tokens);
            var approvalStore = new SqlApprovalStore(database, logRows::append);
            var approvalFeed = new ApprovalFeed(approvalStore);
            var deciders = new Deciders(gate, memberships);
            var approvals = new Approvals(approvalStore, approvalFeed, sessionLog, deciders, world);
            var rules = new ApprovalRules(new SqlRuleStore(database), deciders, world);
            var approved = new ApprovedTools(authors, sandboxStore, commands, files, sessionStore, redaction, world);
            var runs = closer.add(new ApprovedRuns(approvalStore, approvals, approved, instance, world));
            var sessionMachines = closer.add(new SessionMachines(agentStore, sandboxStore, sessionStore, machines));
            var sessions = new Sessions(
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
                    config.sessions().idleEnd(),
                    world);
            var tools = new Tools(
                    sessions,
                    sessionStore,
                    sessionLog,
                    sandboxes,
                    commands,
                    files,
                    approvals,
                    rules,
                    redaction,
                    instance,
                    world);

            var cancellation = new Cancellation(sessionStore, sessionLog, approvals, commands, world);
            var schemas = new ToolSchemas(config.exec());
            var turnMetrics = new TurnMetrics(meters);
            var models = closer.add(new ConfiguredModels(config.models(), world));
            var turnStore = new SqlTurnStore(database, logRows::write);
            var lostCalls = new LostCalls(sessionStore, approvals);
            var turnLoop = new TurnLoop(
                    turnStore,
                    sessions,
                    agents,
                    sandboxes,
                    skills,
                    models,
                    schemas,
                    new Asking(redaction, world),
                    new ToolCalls(new AuditedCalls(tools, audit, redaction), lostCalls, sessionStore, commands, world),
                    redaction,
                    config.turns(),
                    turnMetrics,
                    instance);
            var turns = closer.add(new Turns(
                    turnStore,
                    sessionLog,
                    agents,
                    models,
                    turnLoop,
                    new Abandoned(turnStore, sessionLog, lostCalls, turnMetrics, instance, world),
                    config.turns(),
                    turnMetrics,
                    instance,
                    world));
            turnMetrics.running(turns);
            cancellation.onCancel(turns);

            var mcpCalls = closer.add(new Calls(tools, approvals, commands));
            var mcpMethods = new McpMethods(
                    sandboxes, schemas, mcpCalls, new WorkspaceFiles(sandboxStore, machines, files), world);

            var readiness = new ReadinessCheck(
                    () -> probe(database.health()),
                    probes(backends),
                    CloudBackends.notConfigured(config.clouds()),
                    ReadinessCheck.PATIENCE);
            var server = closer.add(HttpServer.start(
                    http(config.server(), config.limits()),
                    List.of(
                            new StatusRoutes(readiness, meters),
                            new AgentRoutes(agents, new AgentsOfCaller(memberships)),
                            new SecurityRoutes(policies),
                            new MemberRoutes(members),
                            new UserRoutes(users),
                            new TokenRoutes(tokens),
                            new LoginRoutes(callers, logins, users, gate),
                            new ProvisioningRoutes(provisioning, presets, creations),
                            new SandboxRoutes(sandboxes, presets),
                            new LeftoverRoutes(new Leftovers(sandboxStore, backends)),
                            new ExecRoutes(commands),
                            new TerminalRoutes(terminals),
                            new FileRoutes(files),
                            new SkillRoutes(skills),
                            new SessionRoutes(sessions),
                            new ApprovalRoutes(approvals, rules, runs),
                            new ToolRoutes(sessions, tools, cancellation),
                            new McpRoutes(new McpSessions(sessions), mcpMethods),
                            new TurnRoutes(sessions, turns),
                            new AuditRoutes(audit, agents),
                            new UiRoutes(UiFiles.ofTheBuild(), world.random())),
                    RoutePolicies.ofTheGateway(),
                    callers,
                    gate,
                    new AuditedRequests(audit, world.clock()),
                    meters,
                    world));

            var recovery = new Recovery(execStore, sandboxStore, machines, watch, instance, world);
            var reaper = new IdleReaper(
                    agentStore, sandboxStore, sandboxes, machines, backends, sessionStore::hasOpen, world);
            var retention = new ExecRetention(
                    execStore, config.retention().execs(), config.retention().execOutputBytes(), world);
            closer.add(Ticker.every(RECHECK_EVERY, "recheck", world, server::recheckStreams));
            closer.add(Ticker.every(PRUNE_EVERY, "logins", world, logins::prune));
            closer.add(Ticker.every(SWEEP_EVERY, "recovery", world, recovery::run));
            closer.add(Ticker.every(SWEEP_EVERY, "reaper", world, reaper::sweep));
            closer.add(Ticker.every(POLL_EVERY, "session logs", world, sessionLog::poll));
            closer.add(Ticker.every(POLL_EVERY, "approval feed", world, approvalFeed::poll));
            closer.add(Ticker.every(POLL_EVERY, "approvals", world, runs::sweep));
            closer.add(Ticker.every(POLL_EVERY, "cancelled commands", world, commands::endCancelled));
            closer.add(Ticker.every(POLL_EVERY, "turns", world, turns::sweep));
            closer.add(Ticker.every(TICK_EVERY, "time of turns", world, turns::tick));
            closer.add(Ticker.every(RECHECK_EVERY, "session followers", world, sessionLog::recheck));
            closer.add(Ticker.every(SWEEP_EVERY, "sessions", world, sessions::endSilent));
            closer.add(Ticker.every(PRUNE_EVERY, "approval rules", world, rules::prune));
            closer.add(Ticker.every(SWEEP_EVERY, "terminals", world, terminals::sweep));
            closer.add(Ticker.every(PRUNE_EVERY, "retention", world, retention::sweep));
            closer.add(Ticker.every(SWEEP_EVERY, "quota of output", world, retention::keepToQuota));
            closer.add(Ticker.every(
                    PRUNE_EVERY,
                    "audit",
                    world,
                    () -> audit.prune(config.retention().audit())));
            return new Gateway(closer, server.port());
        });
    }

    /// The one it really listens on, also where the config said 0.
    public int port() {
        return port;
    }

    /// Takes no more requests, lets those under way finish, and leaves sandboxes and their commands running.
    @Override
    public void close() {
        closer.close();
    }

    private static DockerSettings docker(GatewayConfig config) {
        var docker = config.docker();
        return new DockerSettings(
                config.instanceId(),
                docker.endpoint(),
                docker.tlsCertificates(),
                Optional.of(config.home().resolve("registry")).filter(Files::isDirectory),
                DockerSettings.PullPolicy.valueOf(docker.pullPolicy().name()),
                docker.network(),
                docker.runtime(),
                docker.workspaceRoot(),
                KeeperResources::find,
                DockerSettings.DEFAULT_ORPHAN_GRACE);
    }

    private static HttpSettings http(ServerSettings server, LimitSettings limits) {
        return new HttpSettings(
                server.host(),
                server.port(),
                Set.copyOf(server.allowedHosts()),
                Set.copyOf(server.allowedOrigins()),
                Set.copyOf(server.trustedProxies()),
                HttpSettings.MAX_STREAMS,
                limits.streamsPerCaller(),
                HttpSettings.GRACE,
                HttpSettings.HEARTBEAT);
    }

    private static Map<String, ReadinessCheck.Probe> probes(Backends backends) {
        var probes = new LinkedHashMap<String, ReadinessCheck.Probe>();
        for (BackendProvider provider : backends.all()) {
            if (!provider.isConfigured()) continue;
            probes.put(provider.type().toString(), () -> {
                var health = provider.health();
                return new ReadinessCheck.Outcome(health.up(), health.detail());
            });
        }
        return probes;
    }

    private static ReadinessCheck.Outcome probe(Database.Health health) {
        return new ReadinessCheck.Outcome(health.up(), health.detail());
    }
}
