package hermit.identity.sql;

import static hermit.db.generated.Tables.APPROVALS;
import static hermit.db.generated.Tables.IDENTITIES;
import static hermit.db.generated.Tables.MEMBERSHIPS;
import static hermit.db.generated.Tables.SESSIONS;
import static hermit.db.generated.Tables.TOKENS;
import static hermit.db.generated.Tables.TURNS;
import static hermit.db.generated.Tables.USERS;

import hermit.db.Database;
import hermit.db.generated.tables.records.UsersRecord;
import hermit.identity.Identity;
import hermit.identity.User;
import hermit.identity.UserId;
import hermit.identity.UserStore;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// People in the tables `users` and `identities`.
public final class SqlUserStore implements UserStore {
    private static final Condition LIVE = USERS.DELETED_AT.isNull();

    private final Database database;

    public SqlUserStore(Database database) {
        this.database = database;
    }

    @Override
    public void add(User user) {
        database.write("store a user", sql -> {
            sql.insertInto(USERS)
                    .set(USERS.ID, user.id().value())
                    .set(USERS.NAME, user.name())
                    .set(USERS.CREATED_AT, user.createdAt())
                    .execute();
            for (Identity each : user.identities()) addIdentity(sql, user.id(), each, user.createdAt());
            return true;
        });
    }

    @Override
    public Optional<User> find(UserId id) {
        return database.read("find a user", sql -> live(sql, id).map(row -> user(sql, row)));
    }

    @Override
    public Optional<User> findBy(String channel, String channelUserId) {
        return database.read(
                "find a user by identity",
                sql -> sql.select(IDENTITIES.USER_ID)
                        .from(IDENTITIES)
                        .where(IDENTITIES.CHANNEL.eq(channel), IDENTITIES.CHANNEL_USER_ID.eq(channelUserId))
                        .fetchOptional(IDENTITIES.USER_ID)
                        .flatMap(id -> live(sql, new UserId(id)))
                        .map(row -> user(sql, row)));
    }

    @Override
    public Page<User> list(PageRequest page) {
        return database.read("list users", sql -> {
            Condition after =
                    page.after().map(key -> USERS.ID.gt(UUID.fromString(key))).orElse(DSL.noCondition());
            List<UsersRecord> rows = sql.selectFrom(USERS)
                    .where(LIVE, after)
                    .orderBy(USERS.ID)
                    .limit(page.limit() + 1)
                    .fetch();
            var ids = rows.stream().map(UsersRecord::getId).toList();
            Map<UUID, List<Identity>> known = identities(sql, IDENTITIES.USER_ID.in(ids));
            return Page.of(rows, page.limit(), row -> row.getId().toString())
                    .map(row -> user(row, known.getOrDefault(row.getId(), List.of())));
        });
    }

    @Override
    public void addIdentity(UserId id, Identity identity, Instant now) {
        database.write("add an identity", sql -> {
            var _ = live(sql, id).orElseThrow(() -> new NotFound("No such user"));
            addIdentity(sql, id, identity, now);
            return true;
        });
    }

    @Override
    public boolean removeIdentity(UserId id, String channel, String channelUserId) {
        return database.write(
                        "remove an identity",
                        sql -> sql.deleteFrom(IDENTITIES)
                                .where(
                                        IDENTITIES.USER_ID.eq(id.value()),
                                        IDENTITIES.CHANNEL.eq(channel),
                                        IDENTITIES.CHANNEL_USER_ID.eq(channelUserId))
                                .execute())
                == 1;
    }

    @Override
    public boolean delete(UserId id, Instant now) {
        return database.write("delete a user", sql -> {
            if (live(sql, id).isEmpty()) return false;
            LastOwner.check(sql, id);
            sql.deleteFrom(MEMBERSHIPS)
                    .where(MEMBERSHIPS.USER_ID.eq(id.value()))
                    .execute();
            bury(sql, id, now);
            return true;
        });
    }

    @Override
    public void merge(UserId from, UserId into, Instant now) {
        database.write("merge users", sql -> {
            var _ = live(sql, from).orElseThrow(() -> new NotFound("No such user"));
            var _ = live(sql, into).orElseThrow(() -> new NotFound("No such user to merge into"));
            MergedMemberships.move(sql, from, into);
            sql.update(IDENTITIES)
                    .set(IDENTITIES.USER_ID, into.value())
                    .where(IDENTITIES.USER_ID.eq(from.value()))
                    .execute();
            sql.update(TOKENS)
                    .set(TOKENS.USER_ID, into.value())
                    .where(TOKENS.USER_ID.eq(from.value()))
                    .execute();
            sql.update(SESSIONS)
                    .set(SESSIONS.USER_ID, into.value())
                    .where(SESSIONS.USER_ID.eq(from.value()))
                    .execute();
            sql.update(APPROVALS)
                    .set(APPROVALS.REQUESTER_USER_ID, into.value())
                    .where(APPROVALS.REQUESTER_USER_ID.eq(from.value()))
                    .execute();
            sql.update(TURNS)
                    .set(TURNS.USER_ID, into.value())
                    .where(TURNS.USER_ID.eq(from.value()))
                    .execute();
            bury(sql, from, now);
            return true;
        });
    }

    private static void bury(DSLContext sql, UserId id, Instant now) {
        sql.deleteFrom(IDENTITIES).where(IDENTITIES.USER_ID.eq(id.value())).execute();
        sql.update(TOKENS)
                .set(TOKENS.REVOKED_AT, now)
                .where(TOKENS.USER_ID.eq(id.value()), TOKENS.REVOKED_AT.isNull())
                .execute();
        sql.update(USERS)
                .set(USERS.DELETED_AT, now)
                .where(USERS.ID.eq(id.value()))
                .execute();
    }

    private static void addIdentity(DSLContext sql, UserId id, Identity identity, Instant now) {
        int made = sql.insertInto(IDENTITIES)
                .set(IDENTITIES.CHANNEL, identity.channel())
                .set(IDENTITIES.CHANNEL_USER_ID, identity.channelUserId())
                .set(IDENTITIES.USER_ID, id.value())
                .set(IDENTITIES.DISPLAY_NAME, identity.displayName().orElse(null))
                .set(IDENTITIES.CREATED_AT, now)
                .onConflictDoNothing()
                .execute();
        if (made == 1) return;
        boolean own = sql.fetchExists(
                IDENTITIES,
                IDENTITIES
                        .CHANNEL
                        .eq(identity.channel())
                        .and(IDENTITIES.CHANNEL_USER_ID.eq(identity.channelUserId()))
                        .and(IDENTITIES.USER_ID.eq(id.value())));
        if (!own) throw new Conflict("That identity on '%s' is another user's".formatted(identity.channel()));
    }

    private static Optional<UsersRecord> live(DSLContext sql, UserId id) {
        return sql.selectFrom(USERS).where(USERS.ID.eq(id.value()), LIVE).fetchOptional();
    }

    private static User user(DSLContext sql, UsersRecord row) {
        return user(row, identities(sql, IDENTITIES.USER_ID.eq(row.getId())).getOrDefault(row.getId(), List.of()));
    }

    private static User user(UsersRecord row, List<Identity> identities) {
        return new User(new UserId(row.getId()), row.getName(), identities, row.getCreatedAt());
    }

    static Map<UUID, List<Identity>> identities(DSLContext sql, Condition which) {
        return sql.selectFrom(IDENTITIES).where(which).orderBy(IDENTITIES.CHANNEL, IDENTITIES.CHANNEL_USER_ID).stream()
                .collect(Collectors.groupingBy(
                        row -> row.getUserId(),
                        Collectors.mapping(
                                row -> new Identity(
                                        row.getChannel(),
                                        row.getChannelUserId(),
                                        Optional.ofNullable(row.getDisplayName())),
                                Collectors.toList())));
    }
}
