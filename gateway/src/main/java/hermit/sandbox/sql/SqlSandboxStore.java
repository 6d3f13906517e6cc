package hermit.sandbox.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.MEMBERSHIPS;
import static hermit.db.generated.Tables.SANDBOXES;
import static hermit.sandbox.sql.SandboxRows.DELETED;
import static hermit.sandbox.sql.SandboxRows.PROVISIONED;

import hermit.access.Role;
import hermit.access.SecurityPolicy;
import hermit.access.StoredPolicy;
import hermit.agent.Agent;
import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.db.Repeated;
import hermit.db.RowLock;
import hermit.db.generated.tables.records.SandboxesRecord;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Machine;
import hermit.identity.UserId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxFilter;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.ResultQuery;
import org.jooq.SelectOnConditionStep;
import org.jooq.impl.DSL;

/// Sandboxes in the table `sandboxes`. A change of a live row is one conditional update: of two that race, the
/// second sees what the first has made of the row, and a deleted row matches none of them.
public final class SqlSandboxStore implements SandboxStore {
    private static final Condition LIVE = SANDBOXES.STATUS.ne(DSL.inline(DELETED));
    private static final Repeated<ResultQuery<Record>> FIND_BY_ALIAS = new Repeated<>((sql, value) -> rows(sql)
            .where(
                    SANDBOXES.AGENT_UID.eq(value.of(SANDBOXES.AGENT_UID)),
                    SANDBOXES.ALIAS.eq(value.of(SANDBOXES.ALIAS)),
                    LIVE));
    private static final Repeated<ResultQuery<Record>> FIND =
            new Repeated<>((sql, value) -> rows(sql).where(SANDBOXES.ID.eq(value.of(SANDBOXES.ID))));

    private final Database database;

    public SqlSandboxStore(Database database) {
        this.database = database;
    }

    @Override
    public void createAgent(Agent agent, SecurityPolicy security, Optional<Sandbox> first, Optional<UserId> owner) {
        database.write("create an agent", sql -> {
            int made = sql.insertInto(AGENTS)
                    .set(AGENTS.UID, agent.uid())
                    .set(AGENTS.ID, agent.id().value())
                    .set(AGENTS.NAME, agent.name())
                    .set(AGENTS.CONFIG_JSON, Jsonb.of(agent.config().given()))
                    .set(AGENTS.SECURITY_JSON, Jsonb.of(StoredPolicy.write(security)))
                    .set(AGENTS.VERSION, agent.version())
                    .set(AGENTS.CREATED_AT, agent.createdAt())
                    .set(AGENTS.UPDATED_AT, agent.updatedAt())
                    .onConflictDoNothing()
                    .execute();
            if (made == 0) throw new Conflict("There is an agent '%s' already".formatted(agent.id()));
            first.ifPresent(sandbox -> insert(sql, sandbox));
            owner.ifPresent(user -> sql.insertInto(MEMBERSHIPS)
                    .set(MEMBERSHIPS.AGENT_UID, agent.uid())
                    .set(MEMBERSHIPS.USER_ID, user.value())
                    .set(MEMBERSHIPS.ROLE, Role.OWNER.toString())
                    .set(MEMBERSHIPS.CREATED_AT, agent.createdAt())
                    .execute());
            return made;
        });
    }

    @Override
    public Optional<List<Sandbox>> deleteAgent(UUID agentUid, Instant now) {
        return database.write("delete an agent", sql -> {
            Optional<String> id = sql.update(AGENTS)
                    .set(AGENTS.DELETED_AT, now)
                    .set(AGENTS.UPDATED_AT, now)
                    .where(AGENTS.UID.eq(agentUid), AGENTS.DELETED_AT.isNull())
                    .returning(AGENTS.ID)
                    .fetchOptional(AGENTS.ID);
            return id.map(agentId -> deleteWhere(sql, SANDBOXES.AGENT_UID.eq(agentUid), now).stream()
                    .map(row -> SandboxRows.readAsLive(row, agentId))
                    .sorted(SqlSandboxStore::byId)
                    .toList());
        });
    }

    @Override
    public void add(Sandbox sandbox, int most) {
        database.write("add a sandbox", sql -> {
            // Takes the agent's row, so that it is not deleted between this look and the insert.
            int agents = sql.update(AGENTS)
                    .set(AGENTS.UID, AGENTS.UID)
                    .where(AGENTS.UID.eq(sandbox.agentUid()), AGENTS.DELETED_AT.isNull())
                    .execute();
            if (agents == 0) throw new NotFound("No such agent: " + sandbox.agentId());
            int live = sql.fetchCount(
                    SANDBOXES, SANDBOXES.AGENT_UID.eq(sandbox.agentUid()).and(LIVE));
            if (live >= most) throw SandboxStore.tooMany(most);
            insert(sql, sandbox);
            return agents;
        });
    }

    @Override
    public Optional<Sandbox> find(UUID agentUid, Alias alias) {
        return database.read(
                "find a sandbox",
                sql -> FIND_BY_ALIAS.on(sql, agentUid, alias.value()).fetchOptional(SqlSandboxStore::sandbox));
    }

    @Override
    public Optional<Sandbox> find(SandboxId id) {
        return database.read("find a sandbox", sql -> FIND.on(sql, id.value()).fetchOptional(SqlSandboxStore::sandbox));
    }

    @Override
    public List<Sandbox> ofAgent(UUID agentUid) {
        return database.read(
                "list an agent's sandboxes",
                sql -> rows(sql)
                        .where(SANDBOXES.AGENT_UID.eq(agentUid), LIVE)
                        .orderBy(SANDBOXES.CREATED_AT, SANDBOXES.ID)
                        .fetch(SqlSandboxStore::sandbox));
    }

    @Override
    public Page<Sandbox> list(SandboxFilter filter, PageRequest page) {
        Condition wanted = DSL.and(
                filter.status()
                        .map(status -> SANDBOXES.STATUS.eq(DSL.inline(status)))
                        .orElse(LIVE),
                filter.type().map(type -> SANDBOXES.TYPE.eq(type.toString())).orElse(DSL.noCondition()),
                filter.agent().map(agent -> AGENTS.ID.eq(agent.value())).orElse(DSL.noCondition()),
                page.after().map(key -> SANDBOXES.ID.gt(key(key))).orElse(DSL.noCondition()));
        List<Sandbox> found = database.read(
                "list sandboxes",
                sql -> rows(sql)
                        .where(wanted)
                        .orderBy(SANDBOXES.ID)
                        .limit(page.limit() + 1)
                        .fetch(SqlSandboxStore::sandbox));
        return Page.of(found, page.limit(), sandbox -> sandbox.id().toString());
    }

    @Override
    public Set<UUID> liveIds() {
        return database.read(
                "list sandboxes",
                sql -> sql.select(SANDBOXES.ID).from(SANDBOXES).where(LIVE).fetchSet(SANDBOXES.ID));
    }

    @Override
    public Optional<Sandbox> updateConfig(SandboxId id, long version, BackendConfig config) {
        return database.write(
                "change a sandbox's config",
                sql -> sql.update(SANDBOXES)
                        .set(SANDBOXES.CONFIG, Jsonb.of(config.given()))
                        .set(SANDBOXES.VERSION, SANDBOXES.VERSION.plus(1))
                        .where(SANDBOXES.ID.eq(id.value()), SANDBOXES.VERSION.eq(version), LIVE)
                        .returning()
                        .fetchOptional()
                        .map(row -> SandboxRows.read(row, agentId(sql, row.getAgentUid()))));
    }

    @Override
    public Optional<Sandbox> seen(SandboxId id, Machine machine, Instant now) {
        var newest = SANDBOXES.GENERATION.le(machine.generation());
        return database.write(
                "note a sandbox's machine",
                sql -> sql.update(SANDBOXES)
                        .set(SANDBOXES.STATUS, PROVISIONED)
                        .set(
                                SANDBOXES.EXTERNAL_ID,
                                DSL.when(newest, machine.externalId()).otherwise(SANDBOXES.EXTERNAL_ID))
                        .set(
                                SANDBOXES.GENERATION,
                                DSL.when(newest, machine.generation()).otherwise(SANDBOXES.GENERATION))
                        .set(SANDBOXES.LAST_SEEN_AT, now)
                        .set(SANDBOXES.LAST_USED_AT, now)
                        .where(SANDBOXES.ID.eq(id.value()), LIVE)
                        .returning()
                        .fetchOptional()
                        .map(row -> SandboxRows.read(row, agentId(sql, row.getAgentUid()))));
    }

    @Override
    public void used(SandboxId id, boolean seen, Instant now) {
        var wasThere = seen ? SANDBOXES.STATUS.eq(DSL.inline(PROVISIONED)) : DSL.falseCondition();
        database.write(
                "note the use of a sandbox",
                sql -> sql.update(SANDBOXES)
                        .set(SANDBOXES.LAST_USED_AT, now)
                        .set(SANDBOXES.LAST_SEEN_AT, DSL.when(wasThere, now).otherwise(SANDBOXES.LAST_SEEN_AT))
                        .where(SANDBOXES.ID.eq(id.value()), LIVE)
                        .execute());
    }

    @Override
    public Optional<Sandbox> delete(SandboxId id, Instant now) {
        return database.write(
                "delete a sandbox",
                sql -> deleteWhere(sql, SANDBOXES.ID.eq(id.value()), now).stream()
                        .findFirst()
                        .map(row -> SandboxRows.readAsLive(row, agentId(sql, row.getAgentUid()))));
    }

    @Override
    public List<Sandbox> leftBehind(BackendType type) {
        return database.read(
                "list what is left behind",
                sql -> rows(sql)
                        .where(
                                SANDBOXES.STATUS.eq(DSL.inline(DELETED)),
                                SANDBOXES.EXTERNAL_ID.isNotNull(),
                                SANDBOXES.TYPE.eq(type.toString()))
                        .orderBy(SANDBOXES.ID)
                        .fetch(SqlSandboxStore::sandbox));
    }

    @Override
    public void updateRuntimeState(SandboxId id, UnaryOperator<Map<String, Object>> change) {
        Condition live = SANDBOXES.ID.eq(id.value()).and(SANDBOXES.STATUS.ne(DSL.inline(DELETED)));
        database.write(
                "note a sandbox's own state",
                sql -> RowLock.on(
                                sql,
                                sql.select(SANDBOXES.RUNTIME_STATE)
                                        .from(SANDBOXES)
                                        .where(live))
                        .fetchOptional(SANDBOXES.RUNTIME_STATE)
                        .map(before -> sql.update(SANDBOXES)
                                .set(SANDBOXES.RUNTIME_STATE, Jsonb.of(change.apply(Jsonb.object(before))))
                                .where(live)
                                .execute())
                        .orElse(0));
    }

    @Override
    public void removed(SandboxId id) {
        database.write(
                "note a removal",
                sql -> sql.update(SANDBOXES)
                        .setNull(SANDBOXES.EXTERNAL_ID)
                        .where(SANDBOXES.ID.eq(id.value()), SANDBOXES.STATUS.eq(DSL.inline(DELETED)))
                        .execute());
    }

    private static void insert(DSLContext sql, Sandbox sandbox) {
        int made = sql.insertInto(SANDBOXES)
                .set(SandboxRows.write(sandbox))
                .onConflictDoNothing()
                .execute();
        if (made == 0)
            throw new Conflict("Agent '%s' has a sandbox '%s' already".formatted(sandbox.agentId(), sandbox.alias()));
    }

    private static List<SandboxesRecord> deleteWhere(DSLContext sql, Condition which, Instant now) {
        return sql.update(SANDBOXES)
                .set(SANDBOXES.STATUS, DELETED)
                .set(SANDBOXES.DELETED_AT, now)
                .where(which, LIVE)
                .returning()
                .fetch();
    }

    private static SelectOnConditionStep<Record> rows(DSLContext sql) {
        return sql.select(SANDBOXES.fields())
                .select(AGENTS.ID)
                .from(SANDBOXES)
                .join(AGENTS)
                .on(AGENTS.UID.eq(SANDBOXES.AGENT_UID));
    }

    private static Sandbox sandbox(Record row) {
        return SandboxRows.read(row.into(SANDBOXES), row.get(AGENTS.ID));
    }

    private static String agentId(DSLContext sql, UUID agentUid) {
        return sql.select(AGENTS.ID)
                .from(AGENTS)
                .where(AGENTS.UID.eq(agentUid))
                .fetchOptional(AGENTS.ID)
                .orElseThrow();
    }

    private static UUID key(String key) {
        return SandboxId.parse(key)
                .orElseThrow(() -> new Invalid("cursor", "does not belong to this list"))
                .value();
    }

    private static int byId(Sandbox a, Sandbox b) {
        return a.id().toString().compareTo(b.id().toString());
    }
}
