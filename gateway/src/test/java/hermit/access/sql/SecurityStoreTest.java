package hermit.access.sql;

import static hermit.StoresUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.StoresUnderTest;
import hermit.StoresUnderTest.Kind;
import hermit.access.SecurityPolicy;
import hermit.access.SecurityPolicy.Access;
import hermit.access.SecurityPolicy.AutonomyLevel;
import hermit.agent.Agent;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Kind.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class SecurityStoreTest {
    private static final SecurityPolicy OPEN = new SecurityPolicy(
            Access.PROTECTED, AutonomyLevel.FULL, List.of("exec", "terminal"), Optional.of("0f".repeat(32)), true);

    private final Kind kind;

    @TempDir
    Path directory;

    private StoresUnderTest stores;

    SecurityStoreTest(Kind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        stores = kind.open(directory);
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void a_policy_is_made_with_its_agent_and_replaced_whole() {
        Agent main = stores.agent("main");
        assertThat(stores.security.find(main.uid())).contains(SecurityPolicy.DEFAULT);

        assertThat(stores.security.update(main.uid(), OPEN, NOW)).isTrue();

        assertThat(stores.security.find(main.uid())).contains(OPEN);
        assertThat(stores.agents.find(main.id())).map(Agent::version).contains(1L);
    }

    @Test
    void an_agent_that_is_not_live_has_no_policy() {
        Agent main = stores.agent("main");
        stores.sandboxes.deleteAgent(main.uid(), NOW);

        for (UUID uid : List.of(main.uid(), stores.newId())) {
            assertThat(stores.security.find(uid)).isEmpty();
            assertThat(stores.security.update(uid, OPEN, NOW)).isFalse();
        }
    }
}
