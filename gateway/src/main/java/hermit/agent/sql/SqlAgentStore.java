package hermit.agent.sql;

import static hermit.db.generated.Tables.AGENTS;

import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.agent.AgentStore;
import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.db.Repeated;
import hermit.db.generated.tables.records.AgentsRecord;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.ResultQuery;
import org.jooq.impl.DSL;

/// Agents in the table `agents`.
public final class SqlAgentStore implements AgentStore {
    private static final Condition LIVE = AGENTS.DELETED_AT.isNull();
    private static final Repeated<ResultQuery<AgentsRecord>> FIND =
            new Repeated<>((sql, value) -> sql.selectFrom(AGENTS).where(AGENTS.ID.eq(value.of(AGENTS.ID)), LIVE));

    private final Database database;

    public SqlAgentStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<Agent> find(AgentId id) {
        return database.read("find an agent", sql -> FIND.on(sql, id.value()).fetchOptional())
                .map(SqlAgentStore::agent);
    }

    @Override
    public Page<Agent> list(PageRequest page) {
        return list(DSL.noCondition(), page);
    }

    @Override
    public Page<Agent> list(Set<UUID> uids, PageRequest page) {
        return list(AGENTS.UID.in(uids), page);
    }

    private Page<Agent> list(Condition which, PageRequest page) {
        Condition after = page.after().map(AGENTS.ID::gt).orElse(DSL.noCondition());
        var found = database.read(
                "list agents",
                sql -> sql.selectFrom(AGENTS)
                        .where(LIVE, which, after)
                        .orderBy(AGENTS.ID)
                        .limit(page.limit() + 1)
                        .fetch(SqlAgentStore::agent));
        return Page.of(found, page.limit(), agent -> agent.id().value());
    }

    @Override
    public Optional<Agent> updateConfig(UUID uid, OptionalLong ifVersion, AgentConfig config, Instant now) {
        Condition version = ifVersion.isPresent() ? AGENTS.VERSION.eq(ifVersion.getAsLong()) : DSL.noCondition();
        return database.write(
                        "change an agent's config",
                        sql -> sql.update(AGENTS)
                                .set(AGENTS.CONFIG_JSON, Jsonb.of(config.given()))
                                .set(AGENTS.VERSION, AGENTS.VERSION.plus(1))
                                .set(AGENTS.UPDATED_AT, now)
                                .where(AGENTS.UID.eq(uid), LIVE, version)
                                .returning()
                                .fetchOptional())
                .map(SqlAgentStore::agent);
    }

    @Override
    public Set<UUID> liveUids() {
        return database.read(
                "list agents",
                sql -> sql.select(AGENTS.UID).from(AGENTS).where(LIVE).fetchSet(AGENTS.UID));
    }

    private static Agent agent(AgentsRecord row) {
        return new Agent(
                row.getUid(),
                new AgentId(row.getId()),
                row.getName(),
                Jsonb.read(row.getConfigJson(), document -> AgentConfig.of(document, "config")),
                row.getVersion(),
                row.getCreatedAt(),
                row.getUpdatedAt());
    }
}
