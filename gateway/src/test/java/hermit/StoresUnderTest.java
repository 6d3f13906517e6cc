package hermit;

import hermit.access.SecurityPolicy;
import hermit.access.SecurityStore;
import hermit.access.sql.SqlSecurityStore;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.agent.AgentStore;
import hermit.agent.sql.SqlAgentStore;
import hermit.command.ExecRecord;
import hermit.command.ExecStore;
import hermit.command.MemoryExecStore;
import hermit.command.sql.SqlExecStore;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Command.Program;
import hermit.exec.ExecId;
import hermit.exec.Uuids;
import hermit.sandbox.Alias;
import hermit.sandbox.LeaseStore;
import hermit.sandbox.MemoryStores;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStatus;
import hermit.sandbox.SandboxStore;
import hermit.sandbox.sql.SqlLeaseStore;
import hermit.sandbox.sql.SqlSandboxStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// All stores on one kind of memory. One suite runs on each: on both databases, and on the stores in memory that other
/// tests use, so that those tests mean something.
public final class StoresUnderTest implements AutoCloseable {
    public enum Kind {
        MEMORY,
        SQLITE,
        POSTGRESQL;

        public StoresUnderTest open(Path directory) {
            return switch (this) {
                case MEMORY -> {
                    var stores = new MemoryStores();
                    yield new StoresUnderTest(stores, stores, stores, stores, new MemoryExecStore(), () -> {});
                }
                case SQLITE -> on(Database.open(TestDatabase.SQLITE.migrated(directory)));
                case POSTGRESQL -> on(Database.open(TestDatabase.POSTGRESQL.migrated(directory)));
            };
        }
    }

    /// To the microsecond: what a database keeps.
    public static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");

    public final AgentStore agents;
    public final SecurityStore security;
    public final SandboxStore sandboxes;
    public final LeaseStore leases;
    public final ExecStore execs;

    private final Runnable close;
    private final Random random = new Random(7);
    private Instant ids = NOW;

    private StoresUnderTest(
            AgentStore agents,
            SecurityStore security,
            SandboxStore sandboxes,
            LeaseStore leases,
            ExecStore execs,
            Runnable close) {
        this.agents = agents;
        this.security = security;
        this.sandboxes = sandboxes;
        this.leases = leases;
        this.execs = execs;
        this.close = close;
    }

    private static StoresUnderTest on(Database database) {
        return new StoresUnderTest(
                new SqlAgentStore(database),
                new SqlSecurityStore(database),
                new SqlSandboxStore(database),
                new SqlLeaseStore(database),
                new SqlExecStore(database),
                database::close);
    }

    @Override
    public void close() {
        close.run();
    }

    /// Sorts after those made before.
    public synchronized UUID newId() {
        ids = ids.plusMillis(1);
        return Uuids.timeOrdered(ids, random);
    }

    public Agent newAgent(String id) {
        var config = AgentConfig.of(Map.of("exec", Map.of("lifecycle", Map.of("idle_timeout_minutes", 9L))), "config");
        return new Agent(newId(), new AgentId(id), "Agent " + id, config, 1, NOW, NOW);
    }

    /// Stored, without a sandbox.
    public Agent agent(String id) {
        Agent agent = newAgent(id);
        sandboxes.createAgent(agent, SecurityPolicy.DEFAULT, Optional.empty());
        return agent;
    }

    public Sandbox newSandbox(Agent agent, String alias) {
        return newSandbox(agent, alias, BackendType.DOCKER, Map.of());
    }

    public Sandbox newSandbox(Agent agent, String alias, BackendType type, Map<String, Object> config) {
        return new Sandbox(
                new SandboxId(newId()),
                agent.uid(),
                agent.id(),
                new Alias(alias),
                BackendConfig.of(type, config, "config"),
                new SandboxStatus.Pending(),
                0,
                Map.of(),
                NOW,
                NOW,
                1);
    }

    /// Stored.
    public Sandbox sandbox(Agent agent, String alias) {
        Sandbox sandbox = newSandbox(agent, alias);
        sandboxes.add(sandbox);
        return sandbox;
    }

    public ExecRecord newExec(Sandbox sandbox, Optional<String> key, Instant createdAt) {
        return new ExecRecord(
                new ExecId(newId()),
                sandbox.id(),
                GATEWAY,
                "admin",
                new Program.Shell("echo 'ä' \"$HOME\""),
                "/root",
                Optional.of(Duration.ofMillis(1500)),
                false,
                Optional.empty(),
                1024,
                key.map(each -> new ExecRecord.IdempotencyKey(each, "ab".repeat(32))),
                3,
                createdAt,
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                List.of("the sandbox was made anew"));
    }

    public static final UUID GATEWAY = UUID.fromString("11111111-1111-4111-8111-111111111111");
}
