package hermit.sandbox.sql;

import static hermit.db.generated.Tables.LEASES;

import hermit.db.Database;
import hermit.sandbox.LeaseStore;
import hermit.sandbox.SandboxId;
import java.time.Instant;
import java.util.UUID;
import org.jooq.impl.DSL;

/// Leases in the table `leases`. Taking one is a single statement, so that of several gateways exactly one gets it.
public final class SqlLeaseStore implements LeaseStore {
    private final Database database;

    public SqlLeaseStore(Database database) {
        this.database = database;
    }

    @Override
    public boolean acquire(SandboxId id, UUID gateway, Instant now, Instant until) {
        return database.write(
                        "take a lease",
                        sql -> sql.insertInto(LEASES)
                                .set(LEASES.SANDBOX_ID, id.value())
                                .set(LEASES.GATEWAY, gateway)
                                .set(LEASES.EXPIRES_AT, until)
                                .onConflict(LEASES.SANDBOX_ID)
                                .doUpdate()
                                .set(LEASES.GATEWAY, DSL.excluded(LEASES.GATEWAY))
                                .set(LEASES.EXPIRES_AT, DSL.excluded(LEASES.EXPIRES_AT))
                                .where(LEASES.GATEWAY.eq(gateway).or(LEASES.EXPIRES_AT.le(now)))
                                .execute())
                == 1;
    }

    @Override
    public void release(SandboxId id, UUID gateway) {
        database.write(
                "release a lease",
                sql -> sql.deleteFrom(LEASES)
                        .where(LEASES.SANDBOX_ID.eq(id.value()), LEASES.GATEWAY.eq(gateway))
                        .execute());
    }
}
