package hermit.agent.sql;

import static hermit.StoresUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.Racing;
import hermit.StoresUnderTest;
import hermit.StoresUnderTest.Kind;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.paging.PageRequest;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
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
class AgentStoreTest {
    private static final Instant LATER = NOW.plusMillis(1);

    private final Kind kind;

    @TempDir
    Path directory;

    private StoresUnderTest stores;

    AgentStoreTest(Kind kind) {
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
    void an_agent_is_found_as_it_was_stored() {
        Agent main = stores.agent("main");

        assertThat(stores.agents.find(main.id())).contains(main);
        assertThat(stores.agents.find(new AgentId("other"))).isEmpty();
        assertThat(stores.agents.liveUids()).containsExactly(main.uid());
    }

    @Test
    void agents_are_listed_in_order_of_their_ids_bytes_page_by_page() {
        for (String id : List.of("b", "a-b", "a1", "a", "aa", "a-a")) stores.agent(id);

        var first = stores.agents.list(PageRequest.first(4));
        var second = stores.agents.list(new PageRequest(first.next(), 4));

        assertThat(first.items()).extracting(agent -> agent.id().value()).containsExactly("a", "a-a", "a-b", "a1");
        assertThat(first.next()).contains("a1");
        assertThat(second.items()).extracting(agent -> agent.id().value()).containsExactly("aa", "b");
        assertThat(second.next()).isEmpty();
    }

    @Test
    void a_page_that_is_just_full_has_no_next() {
        stores.agent("a");
        stores.agent("b");

        assertThat(stores.agents.list(PageRequest.first(2)).next()).isEmpty();
    }

    @Test
    void a_config_changes_only_at_the_version_that_was_read() {
        Agent main = stores.agent("main");
        var config = AgentConfig.of(Map.of("exec", Map.of("lifecycle", Map.of("stop", "session"))), "config");

        assertThat(stores.agents.updateConfig(main.uid(), OptionalLong.of(7), config, LATER))
                .isEmpty();

        var changed = new Agent(main.uid(), main.id(), main.name(), config, 2, NOW, LATER);
        assertThat(stores.agents.updateConfig(main.uid(), OptionalLong.of(1), config, LATER))
                .contains(changed);
        assertThat(stores.agents.find(main.id())).contains(changed);
        assertThat(stores.agents.updateConfig(main.uid(), OptionalLong.of(1), config, LATER))
                .isEmpty();
        assertThat(stores.agents.updateConfig(main.uid(), OptionalLong.empty(), config, LATER))
                .map(Agent::version)
                .contains(3L);
    }

    @Test
    void of_many_changes_at_one_version_exactly_one_wins() throws Exception {
        Agent main = stores.agent("main");
        Callable<Optional<Agent>> change =
                () -> stores.agents.updateConfig(main.uid(), OptionalLong.of(1), AgentConfig.EMPTY, LATER);

        var finish = Racing.of(Collections.nCopies(16, change));

        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results().stream().filter(Optional::isPresent)).hasSize(1);
        assertThat(stores.agents.find(main.id())).map(Agent::version).contains(2L);
    }

    @Test
    void a_deleted_agent_is_not_found_by_anything() {
        Agent main = stores.agent("main");
        stores.sandboxes.deleteAgent(main.uid(), LATER);

        assertThat(stores.agents.find(main.id())).isEmpty();
        assertThat(stores.agents.list(PageRequest.first(10)).items()).isEmpty();
        assertThat(stores.agents.liveUids()).isEmpty();
        assertThat(stores.agents.updateConfig(main.uid(), OptionalLong.empty(), AgentConfig.EMPTY, LATER))
                .isEmpty();
    }
}
