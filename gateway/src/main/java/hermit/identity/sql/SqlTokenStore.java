package hermit.identity.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.TOKENS;
import static hermit.db.generated.Tables.USERS;

import hermit.db.Database;
import hermit.db.generated.tables.records.TokensRecord;
import hermit.identity.Token;
import hermit.identity.TokenHolder;
import hermit.identity.TokenId;
import hermit.identity.TokenStore;
import hermit.identity.UserId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.NotFound;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.impl.DSL;

/// Tokens in the table `tokens`, by digest.
public final class SqlTokenStore implements TokenStore {
    /// Neither revoked nor left behind by whom it spoke for.
    private static final Condition IN_FORCE = TOKENS.REVOKED_AT
            .isNull()
            .and(TOKENS.USER_ID
                    .isNull()
                    .or(DSL.exists(
                            DSL.selectOne().from(USERS).where(USERS.ID.eq(TOKENS.USER_ID), USERS.DELETED_AT.isNull()))))
            .and(TOKENS.AGENT_UID
                    .isNull()
                    .or(DSL.exists(DSL.selectOne()
                            .from(AGENTS)
                            .where(AGENTS.UID.eq(TOKENS.AGENT_UID), AGENTS.DELETED_AT.isNull()))));

    private final Database database;

    public SqlTokenStore(Database database) {
        this.database = database;
    }

    @Override
    public void add(Token token, String sha256) {
        database.write("store a token", sql -> {
            boolean there = switch (token.holder()) {
                case TokenHolder.Person(var id) ->
                    sql.fetchExists(USERS, USERS.ID.eq(id.value()).and(USERS.DELETED_AT.isNull()));
                case TokenHolder.Program(var agent) ->
                    sql.fetchExists(AGENTS, AGENTS.UID.eq(agent).and(AGENTS.DELETED_AT.isNull()));
                case TokenHolder.Channel _ -> true;
            };
            if (!there) throw new NotFound("There is nobody to give the token to");
            return sql.insertInto(TOKENS).set(row(token, sha256)).execute();
        });
    }

    @Override
    public Optional<Token> find(String sha256) {
        return database.read(
                "find a token",
                sql -> sql.selectFrom(TOKENS)
                        .where(TOKENS.SHA256.eq(sha256), IN_FORCE)
                        .fetchOptional(SqlTokenStore::token));
    }

    @Override
    public Optional<Token> find(TokenId id) {
        return database.read(
                "find a token",
                sql -> sql.selectFrom(TOKENS)
                        .where(TOKENS.ID.eq(id.value()), IN_FORCE)
                        .fetchOptional(SqlTokenStore::token));
    }

    @Override
    public boolean hasProgram(UUID agentUid, Instant now) {
        return database.read(
                "look for a program's token",
                sql -> sql.fetchExists(
                        TOKENS,
                        DSL.and(
                                TOKENS.AGENT_UID.eq(agentUid),
                                IN_FORCE,
                                TOKENS.EXPIRES_AT.isNull().or(TOKENS.EXPIRES_AT.gt(now)))));
    }

    @Override
    public Page<Token> list(Optional<UserId> of, PageRequest page) {
        Condition after =
                page.after().map(key -> TOKENS.ID.gt(UUID.fromString(key))).orElse(DSL.noCondition());
        Condition whose = of.map(id -> TOKENS.USER_ID.eq(id.value())).orElse(DSL.noCondition());
        var found = database.read(
                "list tokens",
                sql -> sql.selectFrom(TOKENS)
                        .where(IN_FORCE, after, whose)
                        .orderBy(TOKENS.ID)
                        .limit(page.limit() + 1)
                        .fetch(SqlTokenStore::token));
        return Page.of(found, page.limit(), token -> token.id().toString());
    }

    @Override
    public void used(TokenId id, Instant now) {
        database.write(
                "note a token's use",
                sql -> sql.update(TOKENS)
                        .set(TOKENS.LAST_USED_AT, now)
                        .where(TOKENS.ID.eq(id.value()))
                        .execute());
    }

    @Override
    public boolean revoke(TokenId id, Instant now) {
        return database.write(
                        "revoke a token",
                        sql -> sql.update(TOKENS)
                                .set(TOKENS.REVOKED_AT, now)
                                .where(TOKENS.ID.eq(id.value()), TOKENS.REVOKED_AT.isNull())
                                .execute())
                == 1;
    }

    private static TokensRecord row(Token token, String sha256) {
        var row = new TokensRecord();
        row.setId(token.id().value());
        row.setSha256(sha256);
        row.setKind(token.holder().kind());
        switch (token.holder()) {
            case TokenHolder.Person(var id) -> row.setUserId(id.value());
            case TokenHolder.Channel(var name) -> row.setChannel(name);
            case TokenHolder.Program(var agent) -> row.setAgentUid(agent);
        }
        row.setName(token.name());
        row.setHint(token.hint());
        row.setScope(token.scope().toString());
        row.setCreatedAt(token.createdAt());
        token.expiresAt().ifPresent(row::setExpiresAt);
        return row;
    }

    private static Token token(TokensRecord row) {
        TokenHolder holder = switch (row.getKind()) {
            case "user" -> new TokenHolder.Person(new UserId(row.getUserId()));
            case "channel" -> new TokenHolder.Channel(row.getChannel());
            default -> new TokenHolder.Program(row.getAgentUid());
        };
        return new Token(
                new TokenId(row.getId()),
                holder,
                row.getName(),
                row.getHint(),
                Token.Scope.valueOf(row.getScope().toUpperCase(Locale.ROOT)),
                row.getCreatedAt(),
                Optional.ofNullable(row.getExpiresAt()),
                Optional.ofNullable(row.getLastUsedAt()));
    }
}
