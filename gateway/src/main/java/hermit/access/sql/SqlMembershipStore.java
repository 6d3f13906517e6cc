package hermit.access.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.IDENTITIES;
import static hermit.db.generated.Tables.MEMBERSHIPS;
import static hermit.db.generated.Tables.USERS;

import hermit.access.Member;
import hermit.access.MembershipStore;
import hermit.access.Role;
import hermit.access.Standing;
import hermit.access.StoredPolicy;
import hermit.agent.AgentId;
import hermit.db.Database;
import hermit.db.Jsonb;
import hermit.db.Repeated;
import hermit.db.RowLock;
import hermit.identity.Identity;
import hermit.identity.User;
import hermit.identity.UserId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.Record3;
import org.jooq.ResultQuery;
import org.jooq.impl.DSL;

/// Memberships in the table of that name.
public final class SqlMembershipStore implements MembershipStore {
    private static final Condition LIVE_AGENT = AGENTS.DELETED_AT.isNull();
    private static final Repeated<ResultQuery<Record3<UUID, JSONB, String>>> STANDING =
            new Repeated<>((sql, value) -> sql.select(AGENTS.UID, AGENTS.SECURITY_JSON, MEMBERSHIPS.ROLE)
                    .from(AGENTS)
                    .leftJoin(MEMBERSHIPS)
                    .on(MEMBERSHIPS.AGENT_UID.eq(AGENTS.UID), MEMBERSHIPS.USER_ID.eq(value.of(MEMBERSHIPS.USER_ID)))
                    .where(AGENTS.ID.eq(value.of(AGENTS.ID)), LIVE_AGENT));
    /// Nobody: version-7 ids are never this one.
    private static final UUID NOBODY = new UUID(0, 0);

    private final Database database;

    public SqlMembershipStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<Standing> standing(AgentId agent, Optional<UserId> user) {
        UUID who = user.map(UserId::value).orElse(NOBODY);
        return database.read(
                "find out how somebody stands to an agent",
                sql -> STANDING.on(sql, who, agent.value())
                        .fetchOptional(row -> new Standing(
                                row.get(AGENTS.UID),
                                agent,
                                Jsonb.read(row.get(AGENTS.SECURITY_JSON), StoredPolicy::read),
                                Optional.ofNullable(row.get(MEMBERSHIPS.ROLE)).map(SqlMembershipStore::role))));
    }

    @Override
    public Set<UUID> agentsOf(UserId user) {
        return agentsOf(user, Role.GUEST);
    }

    @Override
    public Set<UUID> agentsOf(UserId user, Role least) {
        var roles = Arrays.stream(Role.values())
                .filter(each -> each.atLeast(least))
                .map(Role::toString)
                .toList();
        return database.read(
                "list the agents of a user",
                sql -> sql.select(MEMBERSHIPS.AGENT_UID)
                        .from(MEMBERSHIPS)
                        .join(AGENTS)
                        .on(AGENTS.UID.eq(MEMBERSHIPS.AGENT_UID), LIVE_AGENT)
                        .where(MEMBERSHIPS.USER_ID.eq(user.value()), MEMBERSHIPS.ROLE.in(roles))
                        .fetchSet(MEMBERSHIPS.AGENT_UID));
    }

    @Override
    public boolean hasMemberOf(String channel, UUID agentUid) {
        return database.read(
                "look for members on a channel",
                sql -> sql.fetchExists(sql.selectOne()
                        .from(MEMBERSHIPS)
                        .join(IDENTITIES)
                        .on(IDENTITIES.USER_ID.eq(MEMBERSHIPS.USER_ID), IDENTITIES.CHANNEL.eq(channel))
                        .where(MEMBERSHIPS.AGENT_UID.eq(agentUid))));
    }

    @Override
    public Page<Member> list(UUID agentUid, PageRequest page) {
        Condition after = page.after()
                .map(key -> MEMBERSHIPS.USER_ID.gt(UUID.fromString(key)))
                .orElse(DSL.noCondition());
        return database.read(
                "list members",
                sql -> Page.of(
                        members(sql, MEMBERSHIPS.AGENT_UID.eq(agentUid).and(after), page.limit() + 1),
                        page.limit(),
                        member -> member.user().id().toString()));
    }

    @Override
    public Optional<Member> find(UUID agentUid, UserId user) {
        Condition one = MEMBERSHIPS.AGENT_UID.eq(agentUid).and(MEMBERSHIPS.USER_ID.eq(user.value()));
        return database.read(
                "find a member", sql -> members(sql, one, 1).stream().findFirst());
    }

    @Override
    public Role join(UUID agentUid, UserId user, Role role, Instant now) {
        return database.write("store a membership", sql -> {
            boolean agent = sql.fetchExists(AGENTS, AGENTS.UID.eq(agentUid).and(LIVE_AGENT));
            boolean person = sql.fetchExists(USERS, USERS.ID.eq(user.value()).and(USERS.DELETED_AT.isNull()));
            if (!agent) throw new NotFound("No such agent");
            if (!person) throw new NotFound("No such user");
            sql.insertInto(MEMBERSHIPS)
                    .set(MEMBERSHIPS.AGENT_UID, agentUid)
                    .set(MEMBERSHIPS.USER_ID, user.value())
                    .set(MEMBERSHIPS.ROLE, role.toString())
                    .set(MEMBERSHIPS.CREATED_AT, now)
                    .onConflictDoNothing()
                    .execute();
            return sql.select(MEMBERSHIPS.ROLE)
                    .from(MEMBERSHIPS)
                    .where(of(agentUid, user))
                    .fetchSingle(row -> role(row.get(MEMBERSHIPS.ROLE)));
        });
    }

    @Override
    public boolean change(UUID agentUid, UserId user, Role role) {
        return database.write("change a role", sql -> {
            if (role != Role.OWNER) requireAnotherOwner(sql, agentUid, user);
            return sql.update(MEMBERSHIPS)
                            .set(MEMBERSHIPS.ROLE, role.toString())
                            .where(of(agentUid, user))
                            .execute()
                    == 1;
        });
    }

    @Override
    public boolean remove(UUID agentUid, UserId user) {
        return database.write("remove a member", sql -> {
            requireAnotherOwner(sql, agentUid, user);
            return sql.deleteFrom(MEMBERSHIPS).where(of(agentUid, user)).execute() == 1;
        });
    }

    /// The owners' rows are locked first: of two who leave at once, one stays.
    private static void requireAnotherOwner(DSLContext sql, UUID agentUid, UserId user) {
        var rows = sql.select(MEMBERSHIPS.USER_ID)
                .from(MEMBERSHIPS)
                .where(MEMBERSHIPS.AGENT_UID.eq(agentUid), MEMBERSHIPS.ROLE.eq(Role.OWNER.toString()))
                .orderBy(MEMBERSHIPS.USER_ID);
        List<UUID> owners = RowLock.on(sql, rows).fetch(MEMBERSHIPS.USER_ID);
        if (owners.equals(List.of(user.value())))
            throw new Conflict("This is the agent's last owner; make somebody else an owner first");
    }

    private static List<Member> members(DSLContext sql, Condition which, int limit) {
        List<? extends Record> rows = sql.select(
                        USERS.ID, USERS.NAME, USERS.CREATED_AT, MEMBERSHIPS.ROLE, MEMBERSHIPS.CREATED_AT)
                .from(MEMBERSHIPS)
                .join(USERS)
                .on(USERS.ID.eq(MEMBERSHIPS.USER_ID), USERS.DELETED_AT.isNull())
                .where(which)
                .orderBy(MEMBERSHIPS.USER_ID)
                .limit(limit)
                .fetch();
        var ids = rows.stream().map(row -> row.get(USERS.ID)).toList();
        var identities = sql.selectFrom(IDENTITIES)
                .where(IDENTITIES.USER_ID.in(ids))
                .orderBy(IDENTITIES.CHANNEL, IDENTITIES.CHANNEL_USER_ID)
                .fetchGroups(
                        IDENTITIES.USER_ID,
                        row -> new Identity(
                                row.getChannel(), row.getChannelUserId(), Optional.ofNullable(row.getDisplayName())));
        return rows.stream()
                .map(row -> new Member(
                        new User(
                                new UserId(row.get(USERS.ID)),
                                row.get(USERS.NAME),
                                identities.getOrDefault(row.get(USERS.ID), List.of()),
                                row.get(USERS.CREATED_AT)),
                        role(row.get(MEMBERSHIPS.ROLE)),
                        row.get(MEMBERSHIPS.CREATED_AT)))
                .toList();
    }

    private static Condition of(UUID agentUid, UserId user) {
        return MEMBERSHIPS.AGENT_UID.eq(agentUid).and(MEMBERSHIPS.USER_ID.eq(user.value()));
    }

    private static Role role(String text) {
        return Role.valueOf(text.toUpperCase(Locale.ROOT));
    }
}
