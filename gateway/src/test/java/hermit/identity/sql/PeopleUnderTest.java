package hermit.identity.sql;

import hermit.access.MembershipStore;
import hermit.access.Role;
import hermit.access.SecurityPolicy;
import hermit.access.sql.SqlMembershipStore;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.exec.Uuids;
import hermit.identity.Identity;
import hermit.identity.LoginStore;
import hermit.identity.Token;
import hermit.identity.TokenHolder;
import hermit.identity.TokenId;
import hermit.identity.TokenStore;
import hermit.identity.User;
import hermit.identity.UserId;
import hermit.identity.UserStore;
import hermit.sandbox.SandboxStore;
import hermit.sandbox.sql.SqlSandboxStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// The stores of people, their tokens, logins and memberships, on one kind of database.
public final class PeopleUnderTest implements AutoCloseable {
    /// To the microsecond: what a database keeps.
    public static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");

    public final UserStore users;
    public final TokenStore tokens;
    public final LoginStore logins;
    public final MembershipStore memberships;

    private final Database database;
    private final SandboxStore agents;
    private final Random random = new Random(7);
    private Instant ids = NOW;

    public PeopleUnderTest(TestDatabase kind, Path directory) {
        database = Database.open(kind.migrated(directory));
        users = new SqlUserStore(database);
        tokens = new SqlTokenStore(database);
        logins = new SqlLoginStore(database);
        memberships = new SqlMembershipStore(database);
        agents = new SqlSandboxStore(database);
    }

    @Override
    public void close() {
        database.close();
    }

    /// Sorts after those made before.
    public synchronized UUID newId() {
        ids = ids.plusMillis(1);
        return Uuids.timeOrdered(ids, random);
    }

    /// Stored.
    public User user(String name, Identity... identities) {
        var user = new User(new UserId(newId()), name, List.of(identities), NOW);
        users.add(user);
        return user;
    }

    public static Identity telegram(String id) {
        return new Identity("telegram", id, Optional.of("T " + id));
    }

    /// Stored, with nobody in it.
    public Agent agent(String id) {
        var agent = new Agent(newId(), new AgentId(id), id, AgentConfig.of(Map.of(), "config"), 1, NOW, NOW);
        agents.createAgent(agent, SecurityPolicy.DEFAULT, Optional.empty(), Optional.empty());
        return agent;
    }

    public void deleteAgent(Agent agent) {
        agents.deleteAgent(agent.uid(), NOW);
    }

    public Optional<Role> role(Agent agent, User user) {
        return memberships
                .standing(agent.id(), Optional.of(user.id()))
                .orElseThrow()
                .role();
    }

    /// Stored, with this digest.
    public Token token(TokenHolder holder, String sha256) {
        var token = new Token(
                new TokenId(newId()),
                holder,
                "laptop",
                "q3Zk",
                Token.Scope.FULL,
                NOW,
                Optional.of(NOW.plusSeconds(60)),
                Optional.empty());
        tokens.add(token, sha256);
        return token;
    }

    public Token token(User user, String sha256) {
        return token(new TokenHolder.Person(user.id()), sha256);
    }
}
