package hermit.identity.sql;

import static hermit.db.generated.Tables.MEMBERSHIPS;

import hermit.db.generated.tables.records.MembershipsRecord;
import hermit.identity.UserId;
import java.util.List;
import org.jooq.DSLContext;

/// What becomes of the memberships of two people who turn out to be one: of each agent the higher role is left.
final class MergedMemberships {
    /// From the lowest to the highest.
    private static final List<String> ROLES = List.of("guest", "user", "owner");

    private MergedMemberships() {}

    static void move(DSLContext sql, UserId from, UserId into) {
        for (MembershipsRecord row : sql.selectFrom(MEMBERSHIPS).where(MEMBERSHIPS.USER_ID.eq(from.value()))) {
            row.delete();
            MembershipsRecord there = sql.selectFrom(MEMBERSHIPS)
                    .where(MEMBERSHIPS.AGENT_UID.eq(row.getAgentUid()), MEMBERSHIPS.USER_ID.eq(into.value()))
                    .fetchOne();
            if (there == null)
                sql.insertInto(MEMBERSHIPS)
                        .set(MEMBERSHIPS.AGENT_UID, row.getAgentUid())
                        .set(MEMBERSHIPS.USER_ID, into.value())
                        .set(MEMBERSHIPS.ROLE, row.getRole())
                        .set(MEMBERSHIPS.CREATED_AT, row.getCreatedAt())
                        .execute();
            else if (ROLES.indexOf(row.getRole()) > ROLES.indexOf(there.getRole()))
                sql.update(MEMBERSHIPS)
                        .set(MEMBERSHIPS.ROLE, row.getRole())
                        .where(MEMBERSHIPS.AGENT_UID.eq(row.getAgentUid()), MEMBERSHIPS.USER_ID.eq(into.value()))
                        .execute();
        }
    }
}
