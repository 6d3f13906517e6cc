package hermit.access.sql;

import static hermit.db.generated.Tables.AGENTS;

import hermit.access.SecurityPolicy;
import hermit.access.SecurityStore;
import hermit.access.StoredPolicy;
import hermit.db.Database;
import hermit.db.Jsonb;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;

/// Policies in the column `security_json` of `agents`.
public final class SqlSecurityStore implements SecurityStore {
    private static final Condition LIVE = AGENTS.DELETED_AT.isNull();

    private final Database database;

    public SqlSecurityStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<SecurityPolicy> find(UUID agentUid) {
        return database.read(
                        "find a security policy",
                        sql -> sql.select(AGENTS.SECURITY_JSON)
                                .from(AGENTS)
                                .where(AGENTS.UID.eq(agentUid), LIVE)
                                .fetchOptional(AGENTS.SECURITY_JSON))
                .map(column -> Jsonb.read(column, StoredPolicy::read));
    }

    @Override
    public boolean update(UUID agentUid, SecurityPolicy policy, Instant now) {
        return database.write(
                        "change a security policy",
                        sql -> sql.update(AGENTS)
                                .set(AGENTS.SECURITY_JSON, Jsonb.of(StoredPolicy.write(policy)))
                                .set(AGENTS.UPDATED_AT, now)
                                .where(AGENTS.UID.eq(agentUid), LIVE)
                                .execute())
                == 1;
    }
}
