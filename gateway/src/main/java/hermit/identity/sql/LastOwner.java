package hermit.identity.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.MEMBERSHIPS;

import hermit.identity.UserId;
import hermit.problem.GatewayException.Conflict;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// Sees to it that no agent that has an owner is left without one.
final class LastOwner {
    private LastOwner() {}

    /// Throws [Conflict] if the person is the only owner of a live agent.
    static void check(DSLContext sql, UserId id) {
        var others = MEMBERSHIPS.as("others");
        sql.select(AGENTS.ID)
                .from(MEMBERSHIPS)
                .join(AGENTS)
                .on(AGENTS.UID.eq(MEMBERSHIPS.AGENT_UID), AGENTS.DELETED_AT.isNull())
                .where(
                        MEMBERSHIPS.USER_ID.eq(id.value()),
                        MEMBERSHIPS.ROLE.eq("owner"),
                        DSL.notExists(DSL.selectOne()
                                .from(others)
                                .where(
                                        others.AGENT_UID.eq(MEMBERSHIPS.AGENT_UID),
                                        others.USER_ID.ne(id.value()),
                                        others.ROLE.eq("owner"))))
                .orderBy(AGENTS.ID)
                .limit(1)
                .fetchOptional(AGENTS.ID)
                .ifPresent(agent -> {
                    throw new Conflict("The user is the last owner of agent '%s'".formatted(agent));
                });
    }
}
