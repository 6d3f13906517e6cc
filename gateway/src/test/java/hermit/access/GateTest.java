package hermit.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.access.sql.SqlMembershipStore;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.identity.TokenId;
import hermit.identity.UserId;
import hermit.problem.GatewayException.Forbidden;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who makes agents, by how the gateway is set up. All else the gate decides is in the access matrix.
@DisplayNameGeneration(ReplaceUnderscores.class)
class GateTest {
    private static final TokenId TOKEN = new TokenId(new UUID(1, 1));
    private static final Caller ADMIN = new Caller.Admin();
    private static final Caller PERSON = new Caller.Person(new UserId(new UUID(2, 2)), TOKEN, false);
    private static final List<Caller> NOBODY =
            List.of(new Caller.Channel("telegram", TOKEN), new Caller.Program(new UUID(3, 3), TOKEN));

    @TempDir
    Path directory;

    @Test
    void people_make_agents_unless_only_the_admin_does() {
        try (var database = Database.open(TestDatabase.SQLITE.migrated(directory))) {
            var memberships = new SqlMembershipStore(database);
            var open = new Gate(memberships, true);
            var closed = new Gate(memberships, false);
            for (Gate gate : List.of(open, closed)) {
                assertThat(gate.createsAgents(ADMIN)).isTrue();
                passes(gate, ADMIN);
                for (Caller each : NOBODY) {
                    assertThat(gate.createsAgents(each)).isFalse();
                    isRefused(gate, each);
                }
            }
            assertThat(open.createsAgents(PERSON)).isTrue();
            passes(open, PERSON);
            assertThat(closed.createsAgents(PERSON)).isFalse();
            isRefused(closed, PERSON);
        }
    }

    private static void passes(Gate gate, Caller caller) {
        assertThatCode(() -> check(gate, caller)).doesNotThrowAnyException();
    }

    private static void isRefused(Gate gate, Caller caller) {
        assertThatThrownBy(() -> check(gate, caller))
                .isInstanceOf(Forbidden.class)
                .hasMessageContaining("may not make agents");
    }

    private static Optional<Standing> check(Gate gate, Caller caller) {
        return gate.check(new RoutePolicy.Creators(), caller, Optional.empty(), false);
    }
}
