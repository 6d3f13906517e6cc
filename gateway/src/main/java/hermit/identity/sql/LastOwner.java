package hermit.identity.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.MEMBERSHIPS;

import hermit.db.RowLock;
import hermit.identity.UserId;
import hermit.problem.GatewayException.Conflict;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// Sees to it that no agent that has an owner is left without one.
final class LastOwner {
    private LastOwner() {}

    /// Throws [Conflict] if the person is the only owner of a live agent. The owners' rows are locked first: of two who
    /// are deleted at once, one stays.
    static void check(DSLContext sql, UserId id) {
        List<UUID> owned = sql.select(MEMBERSHIPS.AGENT_UID)
                .from(MEMBERSHIPS)
                .join(AGENTS)
                .on(AGENTS.UID.eq(MEMBERSHIPS.AGENT_UID), AGENTS.DELETED_AT.isNull())
                .where(MEMBERSHIPS.USER_ID.eq(id.value()), MEMBERSHIPS.ROLE.eq("owner"))
                .fetch(MEMBERSHIPS.AGENT_UID);
        var owners = sql.select(MEMBERSHIPS.AGENT_UID, MEMBERSHIPS.USER_ID)
                .from(MEMBERSHIPS)
                .where(MEMBERSHIPS.AGENT_UID.in(owned), MEMBERSHIPS.ROLE.eq("owner"))
                .orderBy(MEMBERSHIPS.AGENT_UID, MEMBERSHIPS.USER_ID);
        var withOthers = new HashSet<>(RowLock.on(sql, owners).fetch().stream()
                .filter(row -> !id.value().equals(row.get(MEMBERSHIPS.USER_ID)))
                .map(row -> row.get(MEMBERSHIPS.AGENT_UID))
                .toList());
        var alone = owned.stream().filter(agent -> !withOthers.contains(agent)).toList();
        sql.select(DSL.min(AGENTS.ID))
                .from(AGENTS)
                .where(AGENTS.UID.in(alone))
                .fetchOptional(DSL.min(AGENTS.ID))
                .ifPresent(agent -> {
                    throw new Conflict("The user is the last owner of agent '%s'".formatted(agent));
                });
    }
}
