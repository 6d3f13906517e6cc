package hermit.identity.sql;

import static hermit.db.generated.Tables.LOGINS;
import static hermit.db.generated.Tables.TICKETS;

import hermit.db.Database;
import hermit.db.generated.tables.records.TicketsRecord;
import hermit.identity.Login;
import hermit.identity.LoginStore;
import hermit.identity.TokenId;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Logins and tickets in the tables of these names.
public final class SqlLoginStore implements LoginStore {
    private final Database database;

    public SqlLoginStore(Database database) {
        this.database = database;
    }

    @Override
    public void add(String sha256, Login.Holder holder, Instant now, Instant expiresAt) {
        database.write(
                "store a login",
                sql -> sql.insertInto(LOGINS)
                        .set(LOGINS.SHA256, sha256)
                        .set(LOGINS.TOKEN_ID, token(holder))
                        .set(LOGINS.ADMIN_SHA256, admin(holder))
                        .set(LOGINS.CREATED_AT, now)
                        .set(LOGINS.EXPIRES_AT, expiresAt)
                        .execute());
    }

    @Override
    public Optional<Login.Holder> find(String sha256, Instant now) {
        return database.read(
                "find a login",
                sql -> sql.selectFrom(LOGINS)
                        .where(LOGINS.SHA256.eq(sha256), LOGINS.EXPIRES_AT.gt(now))
                        .fetchOptional(row -> holder(row.getTokenId(), row.getAdminSha256())));
    }

    @Override
    public void remove(String sha256) {
        database.write(
                "end a login",
                sql -> sql.deleteFrom(LOGINS).where(LOGINS.SHA256.eq(sha256)).execute());
    }

    @Override
    public void addTicket(String sha256, Login login, String path, Instant expiresAt) {
        database.write(
                "store a ticket",
                sql -> sql.insertInto(TICKETS)
                        .set(TICKETS.SHA256, sha256)
                        .set(TICKETS.TOKEN_ID, token(login))
                        .set(TICKETS.ADMIN_SHA256, admin(login))
                        .set(TICKETS.LOGIN_SHA256, browser(login))
                        .set(TICKETS.PATH, path)
                        .set(TICKETS.EXPIRES_AT, expiresAt)
                        .execute());
    }

    @Override
    public Optional<Login> takeTicket(String sha256, String path, Instant now) {
        return database.write(
                "take a ticket",
                sql -> sql.deleteFrom(TICKETS)
                        .where(TICKETS.SHA256.eq(sha256), TICKETS.PATH.eq(path), TICKETS.EXPIRES_AT.gt(now))
                        .returning()
                        .fetchOptional(SqlLoginStore::login));
    }

    @Override
    public void prune(Instant now) {
        database.write("forget old logins", sql -> {
            sql.deleteFrom(TICKETS).where(TICKETS.EXPIRES_AT.le(now)).execute();
            return sql.deleteFrom(LOGINS).where(LOGINS.EXPIRES_AT.le(now)).execute();
        });
    }

    private static Login login(TicketsRecord row) {
        String browser = row.getLoginSha256();
        return browser == null ? holder(row.getTokenId(), row.getAdminSha256()) : new Login.OfBrowser(browser);
    }

    private static @Nullable String browser(Login login) {
        return login instanceof Login.OfBrowser(String sha256) ? sha256 : null;
    }

    private static Login.Holder holder(@Nullable UUID token, @Nullable String admin) {
        if (token != null) return new Login.ByToken(new TokenId(token));
        if (admin != null) return new Login.OfAdmin(admin);
        throw new IllegalStateException("a login of nobody");
    }

    private static @Nullable UUID token(Login login) {
        return login instanceof Login.ByToken(TokenId id) ? id.value() : null;
    }

    private static @Nullable String admin(Login login) {
        return login instanceof Login.OfAdmin(String sha256) ? sha256 : null;
    }
}
