package hermit.sandbox.sql;

import static hermit.StoresUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.Racing;
import hermit.StoresUnderTest;
import hermit.StoresUnderTest.Kind;
import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.agent.AgentId;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Machine;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxFilter;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStatus;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
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
class SandboxStoreTest {
    private static final Instant LATER = NOW.plusNanos(1_000);

    private final Kind kind;

    @TempDir
    Path directory;

    private StoresUnderTest stores;
    private Agent main;

    SandboxStoreTest(Kind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        stores = kind.open(directory);
        main = stores.agent("main");
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void a_row_is_found_as_it_was_stored() {
        var config = new LinkedHashMap<String, Object>();
        config.put("image", "ubuntu:24.04");
        config.put("cpus", new BigDecimal("0.50"));
        config.put("pids_limit", 100L);
        config.put("env", Map.of("GREETING", "grüß dich 👋 \"quoted\" \\ \n"));
        Sandbox row = stores.newSandbox(main, "default", BackendType.DOCKER, config);
        stores.sandboxes.add(row);

        assertThat(stores.sandboxes.find(main.uid(), Alias.DEFAULT)).contains(row);
        assertThat(stores.sandboxes.find(row.id())).contains(row);
        assertThat(stores.sandboxes.find(main.uid(), new Alias("other"))).isEmpty();
        assertThat(stores.sandboxes.find(new SandboxId(stores.newId()))).isEmpty();
        assertThat(stores.sandboxes.liveIds()).containsExactly(row.id().value());
    }

    @Test
    void every_type_is_stored() {
        for (BackendType type : BackendType.values()) {
            Sandbox row = stores.newSandbox(main, type.toString(), type, Map.of());
            stores.sandboxes.add(row);
            assertThat(stores.sandboxes.find(row.id())).contains(row);
        }
    }

    @Test
    void an_agent_is_made_with_its_first_sandbox_or_not_at_all() {
        Agent other = stores.newAgent("other");
        Sandbox first = stores.newSandbox(other, "default");
        stores.sandboxes.createAgent(other, SecurityPolicy.DEFAULT, Optional.of(first), Optional.empty());
        assertThat(stores.sandboxes.ofAgent(other.uid())).containsExactly(first);

        Agent again = stores.newAgent("other");
        Sandbox second = stores.newSandbox(again, "default");
        assertThatThrownBy(() -> stores.sandboxes.createAgent(
                        again, SecurityPolicy.DEFAULT, Optional.of(second), Optional.empty()))
                .isInstanceOf(Conflict.class)
                .hasMessageContaining("other");

        assertThat(stores.sandboxes.find(second.id())).isEmpty();
        assertThat(stores.agents.liveUids()).containsExactlyInAnyOrder(main.uid(), other.uid());
    }

    @Test
    void of_many_equal_agents_exactly_one_is_made_and_the_others_are_conflicts() throws Exception {
        var finish = Racing.of(Stream.generate(() -> stores.newAgent("twin"))
                .limit(16)
                .map(agent -> (Callable<Agent>) () -> {
                    stores.sandboxes.createAgent(
                            agent,
                            SecurityPolicy.DEFAULT,
                            Optional.of(stores.newSandbox(agent, "default")),
                            Optional.empty());
                    return agent;
                })
                .toList());

        assertThat(finish.results()).hasSize(1);
        assertThat(finish.failures()).hasSize(15).hasOnlyElementsOfType(Conflict.class);
        assertThat(stores.agents.find(new AgentId("twin")))
                .contains(finish.results().getFirst());
        assertThat(stores.sandboxes.liveIds()).hasSize(1);
    }

    @Test
    void of_many_equal_aliases_exactly_one_is_added_and_the_others_are_conflicts() throws Exception {
        var finish = Racing.of(Stream.generate(() -> stores.newSandbox(main, "twin"))
                .limit(16)
                .map(row -> (Callable<Sandbox>) () -> {
                    stores.sandboxes.add(row);
                    return row;
                })
                .toList());

        assertThat(finish.results()).hasSize(1);
        assertThat(finish.failures()).hasSize(15).hasOnlyElementsOfType(Conflict.class);
        assertThat(stores.sandboxes.ofAgent(main.uid())).isEqualTo(finish.results());
    }

    @Test
    void an_alias_can_be_used_again_and_again_after_its_row_is_deleted() {
        for (int i = 0; i < 10; i++) {
            Sandbox row = stores.sandbox(main, "default");
            assertThat(stores.sandboxes.delete(row.id(), LATER)).contains(row);
        }
        Sandbox last = stores.sandbox(main, "default");
        assertThat(stores.sandboxes.ofAgent(main.uid())).containsExactly(last);
        assertThat(stores.sandboxes.find(main.uid(), Alias.DEFAULT)).contains(last);
    }

    @Test
    void nothing_is_added_to_an_agent_that_is_not_live() {
        stores.sandboxes.deleteAgent(main.uid(), LATER);

        for (Agent gone : List.of(main, stores.newAgent("never")))
            assertThatThrownBy(() -> stores.sandboxes.add(stores.newSandbox(gone, "default")))
                    .isInstanceOf(NotFound.class);
    }

    @Test
    void a_successful_ensure_turns_pending_into_provisioned() {
        Sandbox row = stores.sandbox(main, "default");

        Sandbox seen = stores.sandboxes
                .seen(row.id(), new Machine("hermit-main", 1, List.of()), LATER)
                .orElseThrow();

        assertThat(seen.status()).isEqualTo(new SandboxStatus.Provisioned("hermit-main", LATER));
        assertThat(seen.generation()).isEqualTo(1);
        assertThat(seen.lastUsedAt()).isEqualTo(LATER);
        assertThat(seen.version()).isEqualTo(row.version());
        assertThat(stores.sandboxes.find(row.id())).contains(seen);
    }

    @Test
    void a_generation_never_goes_back() {
        Sandbox row = stores.sandbox(main, "default");
        stores.sandboxes.seen(row.id(), new Machine("newer", 5, List.of()), NOW);

        assertThat(stores.sandboxes.seen(row.id(), new Machine("older", 4, List.of()), LATER))
                .map(Sandbox::generation)
                .contains(5L);
    }

    @Test
    void a_deleted_row_stays_deleted_whatever_comes_late() {
        Sandbox row = stores.sandbox(main, "default");
        Sandbox seen = stores.sandboxes
                .seen(row.id(), new Machine("m", 1, List.of()), NOW)
                .orElseThrow();

        assertThat(stores.sandboxes.delete(row.id(), LATER)).contains(seen);

        assertThat(stores.sandboxes.seen(row.id(), new Machine("late", 2, List.of()), LATER))
                .isEmpty();
        assertThat(stores.sandboxes.updateConfig(row.id(), row.version(), row.config()))
                .isEmpty();
        assertThat(stores.sandboxes.delete(row.id(), LATER)).isEmpty();
        stores.sandboxes.used(row.id(), true, LATER.plusSeconds(9));
        Sandbox deleted = stores.sandboxes.find(row.id()).orElseThrow();
        assertThat(deleted.status()).isEqualTo(new SandboxStatus.Deleted(LATER, Optional.of("m")));
        assertThat(deleted.lastUsedAt()).isEqualTo(NOW);
        assertThat(stores.sandboxes.find(main.uid(), Alias.DEFAULT)).isEmpty();
        assertThat(stores.sandboxes.liveIds()).isEmpty();
    }

    @Test
    void of_many_deletes_exactly_one_finds_the_row() throws Exception {
        Sandbox row = stores.sandbox(main, "default");
        Callable<Optional<Sandbox>> delete = () -> stores.sandboxes.delete(row.id(), LATER);

        var finish = Racing.of(Collections.nCopies(8, delete));

        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results().stream().flatMap(Optional::stream)).containsExactly(row);
    }

    @Test
    void a_config_changes_only_at_the_version_that_was_read() {
        Sandbox row = stores.sandbox(main, "default");
        var config = BackendConfig.of(BackendType.DOCKER, Map.of("memory_limit", "1g"), "config");

        assertThat(stores.sandboxes.updateConfig(row.id(), 2, config)).isEmpty();
        Sandbox changed = stores.sandboxes.updateConfig(row.id(), 1, config).orElseThrow();

        assertThat(changed.config()).isEqualTo(config);
        assertThat(changed.version()).isEqualTo(2);
        assertThat(stores.sandboxes.updateConfig(row.id(), 1, config)).isEmpty();
        assertThat(stores.sandboxes.find(row.id())).contains(changed);
    }

    @Test
    void use_is_noted_and_so_is_the_machine_where_it_was_seen() {
        Sandbox row = stores.sandbox(main, "default");
        stores.sandboxes.used(row.id(), true, LATER);
        assertThat(stores.sandboxes.find(row.id())).hasValueSatisfying(pending -> {
            assertThat(pending.status()).isEqualTo(new SandboxStatus.Pending());
            assertThat(pending.lastUsedAt()).isEqualTo(LATER);
        });

        stores.sandboxes.seen(row.id(), new Machine("m", 1, List.of()), NOW);
        stores.sandboxes.used(row.id(), false, LATER);
        assertThat(stores.sandboxes.find(row.id()).flatMap(Sandbox::lastSeenAt)).contains(NOW);
        stores.sandboxes.used(row.id(), true, LATER);
        assertThat(stores.sandboxes.find(row.id()).flatMap(Sandbox::lastSeenAt)).contains(LATER);
    }

    @Test
    void an_agent_is_deleted_with_its_rows_which_come_back_as_they_were() {
        Sandbox one = stores.sandbox(main, "one");
        Sandbox two = stores.sandbox(main, "two");
        Sandbox old = stores.sandbox(main, "old");
        stores.sandboxes.delete(old.id(), NOW);
        Sandbox seen = stores.sandboxes
                .seen(two.id(), new Machine("m", 1, List.of()), NOW)
                .orElseThrow();
        Agent other = stores.agent("other");
        Sandbox elsewhere = stores.sandbox(other, "one");

        assertThat(stores.sandboxes.deleteAgent(main.uid(), LATER)).contains(List.of(one, seen));

        assertThat(stores.sandboxes.deleteAgent(main.uid(), LATER)).isEmpty();
        assertThat(stores.sandboxes.ofAgent(main.uid())).isEmpty();
        assertThat(stores.sandboxes.liveIds()).containsExactly(elsewhere.id().value());
        assertThat(stores.sandboxes.find(two.id()).map(Sandbox::status))
                .contains(new SandboxStatus.Deleted(LATER, Optional.of("m")));
        assertThat(stores.agent("main").uid()).isNotEqualTo(main.uid());
    }

    @Test
    void a_sandbox_added_while_its_agent_is_deleted_is_deleted_or_refused() throws Exception {
        var racers = new ArrayList<Callable<Boolean>>();
        for (int i = 0; i < 8; i++) {
            Sandbox row = stores.newSandbox(main, "box" + i);
            racers.add(() -> {
                stores.sandboxes.add(row);
                return true;
            });
        }
        racers.add(4, () -> stores.sandboxes.deleteAgent(main.uid(), LATER).isPresent());

        var finish = Racing.of(racers);

        assertThat(finish.failures()).allMatch(NotFound.class::isInstance);
        assertThat(stores.sandboxes.liveIds()).isEmpty();
    }

    @Test
    void rows_of_all_agents_are_listed_in_order_of_their_ids_page_by_page() {
        Agent other = stores.agent("other");
        var rows = new ArrayList<Sandbox>();
        for (int i = 0; i < 5; i++) rows.add(stores.sandbox(i % 2 == 0 ? main : other, "box" + i));
        Sandbox deleted = stores.sandbox(main, "gone");
        stores.sandboxes.delete(deleted.id(), LATER);

        var first = stores.sandboxes.list(SandboxFilter.ALL, PageRequest.first(3));
        var second = stores.sandboxes.list(SandboxFilter.ALL, new PageRequest(first.next(), 3));

        assertThat(first.items()).isEqualTo(rows.subList(0, 3));
        assertThat(first.next()).contains(rows.get(2).id().toString());
        assertThat(second.items()).isEqualTo(rows.subList(3, 5));
        assertThat(second.next()).isEmpty();
    }

    @Test
    void a_list_is_narrowed_by_type_status_and_agent() {
        Agent other = stores.agent("other");
        Sandbox docker = stores.sandbox(main, "docker");
        Sandbox cloud = stores.newSandbox(main, "cloud", BackendType.E2B, Map.of());
        stores.sandboxes.add(cloud);
        Sandbox elsewhere = stores.sandbox(other, "docker");
        Sandbox gone = stores.sandbox(other, "gone");
        stores.sandboxes.delete(gone.id(), LATER);
        stores.sandboxes.seen(docker.id(), new Machine("m", 1, List.of()), NOW);

        assertThat(listed(Optional.of(BackendType.E2B), Optional.empty(), Optional.empty()))
                .containsExactly(cloud.id());
        assertThat(listed(Optional.empty(), Optional.of("provisioned"), Optional.empty()))
                .containsExactly(docker.id());
        assertThat(listed(Optional.empty(), Optional.of("pending"), Optional.empty()))
                .containsExactly(cloud.id(), elsewhere.id());
        assertThat(listed(Optional.empty(), Optional.of("deleted"), Optional.empty()))
                .containsExactly(gone.id());
        assertThat(listed(Optional.empty(), Optional.empty(), Optional.of(other.id())))
                .containsExactly(elsewhere.id());
    }

    @Test
    void machines_of_deleted_docker_rows_are_listed_until_they_are_removed() {
        Sandbox docker = stores.sandbox(main, "docker");
        Sandbox never = stores.sandbox(main, "never");
        Sandbox live = stores.sandbox(main, "live");
        Sandbox cloud = stores.newSandbox(main, "cloud", BackendType.E2B, Map.of());
        stores.sandboxes.add(cloud);
        for (Sandbox each : List.of(docker, live, cloud))
            stores.sandboxes.seen(each.id(), new Machine("m-" + each.alias(), 1, List.of()), NOW);
        for (Sandbox each : List.of(docker, never, cloud)) stores.sandboxes.delete(each.id(), LATER);

        assertThat(stores.sandboxes.leftBehind(BackendType.DOCKER))
                .extracting(Sandbox::id)
                .containsExactly(docker.id());

        stores.sandboxes.removed(docker.id());
        stores.sandboxes.removed(live.id());

        assertThat(stores.sandboxes.leftBehind(BackendType.DOCKER)).isEmpty();
        assertThat(stores.sandboxes.find(live.id()).flatMap(Sandbox::externalId))
                .contains("m-live");
        assertThat(stores.sandboxes.find(cloud.id()).flatMap(Sandbox::externalId))
                .contains("m-cloud");
        assertThat(stores.sandboxes.leftBehind(BackendType.E2B))
                .extracting(Sandbox::id)
                .containsExactly(cloud.id());
    }

    @Test
    void what_a_row_remembers_for_itself_is_changed_from_what_it_was_and_not_once_it_is_deleted() {
        Sandbox row = stores.sandbox(main, "one");
        stores.sandboxes.updateRuntimeState(row.id(), before -> {
            assertThat(before).isEmpty();
            return Map.of("queue", List.of(Map.of("a", "1")));
        });
        stores.sandboxes.updateRuntimeState(
                row.id(), before -> Map.of("queue", List.of(before.get("queue"), "more"), "n", 2L));
        assertThat(stores.sandboxes.find(row.id()).orElseThrow().runtimeState())
                .isEqualTo(Map.of("queue", List.of(List.of(Map.of("a", "1")), "more"), "n", 2L));
        assertThat(stores.sandboxes.find(row.id()).orElseThrow().version()).isEqualTo(row.version());

        stores.sandboxes.delete(row.id(), LATER);
        stores.sandboxes.updateRuntimeState(row.id(), before -> Map.of());
        assertThat(stores.sandboxes.find(row.id()).orElseThrow().runtimeState()).containsKey("queue");
    }

    private List<SandboxId> listed(Optional<BackendType> type, Optional<String> status, Optional<AgentId> agent) {
        return stores.sandboxes.list(new SandboxFilter(type, status, agent), PageRequest.first(10)).items().stream()
                .map(Sandbox::id)
                .toList();
    }
}
