package hermit.access.sql;

import static hermit.identity.sql.PeopleUnderTest.NOW;
import static hermit.identity.sql.PeopleUnderTest.telegram;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.Racing;
import hermit.access.Member;
import hermit.access.Role;
import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.agent.AgentId;
import hermit.db.TestDatabase;
import hermit.identity.UserId;
import hermit.identity.sql.PeopleUnderTest;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
@EnumSource(TestDatabase.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class MembershipStoreTest {
    private final TestDatabase kind;

    @TempDir
    Path directory;

    private PeopleUnderTest people;

    MembershipStoreTest(TestDatabase kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        people = new PeopleUnderTest(kind, directory);
    }

    @AfterEach
    void close() {
        people.close();
    }

    @Test
    void a_standing_says_the_role_at_this_agent_and_the_policy() {
        var ada = people.user("Ada");
        Agent main = people.agent("main");
        people.agent("other");
        people.memberships.join(main.uid(), ada.id(), Role.USER, NOW);

        var standing =
                people.memberships.standing(main.id(), Optional.of(ada.id())).orElseThrow();
        assertThat(standing.agentUid()).isEqualTo(main.uid());
        assertThat(standing.role()).contains(Role.USER);
        assertThat(standing.policy()).isEqualTo(SecurityPolicy.DEFAULT);
        assertThat(people.memberships
                        .standing(main.id(), Optional.empty())
                        .orElseThrow()
                        .role())
                .isEmpty();
        assertThat(people.memberships
                        .standing(new AgentId("other"), Optional.of(ada.id()))
                        .orElseThrow()
                        .role())
                .isEmpty();
        assertThat(people.memberships.standing(new AgentId("absent"), Optional.of(ada.id())))
                .isEmpty();
        assertThat(people.memberships.agentsOf(ada.id())).containsExactly(main.uid());
    }

    @Test
    void a_new_agent_of_an_old_name_has_none_of_the_old_members() {
        var ada = people.user("Ada");
        Agent old = people.agent("main");
        people.memberships.join(old.uid(), ada.id(), Role.OWNER, NOW);
        people.deleteAgent(old);
        assertThat(people.memberships.standing(old.id(), Optional.of(ada.id()))).isEmpty();
        assertThat(people.memberships.agentsOf(ada.id())).isEmpty();
        Agent main = people.agent("main");
        assertThat(people.role(main, ada)).isEmpty();
    }

    @Test
    void joining_again_changes_nothing() {
        var ada = people.user("Ada");
        Agent main = people.agent("main");
        assertThat(people.memberships.join(main.uid(), ada.id(), Role.USER, NOW))
                .isEqualTo(Role.USER);
        assertThat(people.memberships.join(main.uid(), ada.id(), Role.OWNER, NOW.plusSeconds(1)))
                .isEqualTo(Role.USER);
        assertThat(people.memberships.find(main.uid(), ada.id())).contains(new Member(ada, Role.USER, NOW));
    }

    @Test
    void sixteen_who_join_at_once_are_one_member() throws Exception {
        var ada = people.user("Ada");
        Agent main = people.agent("main");
        var racers = new ArrayList<Callable<Role>>();
        for (int i = 0; i < 16; i++) racers.add(() -> people.memberships.join(main.uid(), ada.id(), Role.GUEST, NOW));
        assertThat(Racing.of(racers).results()).hasSize(16).containsOnly(Role.GUEST);
        assertThat(people.memberships
                        .list(main.uid(), new PageRequest(Optional.empty(), 50))
                        .items())
                .hasSize(1);
    }

    @Test
    void nobody_joins_who_is_not_there_and_nothing_that_is_not_there() {
        var ada = people.user("Ada");
        Agent main = people.agent("main");
        var gone = people.user("Gone");
        people.users.delete(gone.id(), NOW);
        for (UserId each : List.of(gone.id(), new UserId(people.newId())))
            assertThatThrownBy(() -> people.memberships.join(main.uid(), each, Role.USER, NOW))
                    .isInstanceOf(NotFound.class);
        people.deleteAgent(main);
        assertThatThrownBy(() -> people.memberships.join(main.uid(), ada.id(), Role.USER, NOW))
                .isInstanceOf(NotFound.class);
    }

    @Test
    void members_are_listed_in_pieces_with_what_they_are_known_as() {
        Agent main = people.agent("main");
        var ada = people.user("Ada", telegram("1"));
        var bob = people.user("Bob");
        var carol = people.user("Carol");
        for (var each : List.of(carol, bob, ada)) people.memberships.join(main.uid(), each.id(), Role.USER, NOW);
        var first = people.memberships.list(main.uid(), new PageRequest(Optional.empty(), 2));
        assertThat(first.items()).extracting(Member::user).containsExactly(ada, bob);
        var second = people.memberships.list(main.uid(), new PageRequest(first.next(), 2));
        assertThat(second.items()).extracting(Member::user).containsExactly(carol);
    }

    @Test
    void the_last_owner_is_neither_removed_nor_made_less() {
        Agent main = people.agent("main");
        var ada = people.user("Ada");
        var bob = people.user("Bob");
        people.memberships.join(main.uid(), ada.id(), Role.OWNER, NOW);
        people.memberships.join(main.uid(), bob.id(), Role.USER, NOW);
        assertThatThrownBy(() -> people.memberships.change(main.uid(), ada.id(), Role.GUEST))
                .isInstanceOf(Conflict.class);
        assertThatThrownBy(() -> people.memberships.remove(main.uid(), ada.id()))
                .isInstanceOf(Conflict.class);
        assertThat(people.memberships.change(main.uid(), ada.id(), Role.OWNER)).isTrue();
        assertThat(people.memberships.change(main.uid(), bob.id(), Role.OWNER)).isTrue();
        assertThat(people.memberships.change(main.uid(), ada.id(), Role.GUEST)).isTrue();
        assertThat(people.memberships.remove(main.uid(), ada.id())).isTrue();
        assertThat(people.memberships.remove(main.uid(), ada.id())).isFalse();
        assertThat(people.memberships.change(main.uid(), ada.id(), Role.USER)).isFalse();
    }

    @Test
    void of_two_owners_who_leave_at_once_one_stays() throws Exception {
        for (int round = 0; round < 10; round++) {
            Agent agent = people.agent("agent-" + round);
            var ada = people.user("Ada");
            var bob = people.user("Bob");
            for (var each : List.of(ada, bob)) people.memberships.join(agent.uid(), each.id(), Role.OWNER, NOW);
            var finish = Racing.<Boolean>of(List.of(
                    () -> people.memberships.remove(agent.uid(), ada.id()),
                    () -> people.memberships.change(agent.uid(), bob.id(), Role.GUEST)));
            assertThat(finish.results()).containsExactly(true);
            assertThat(finish.failures()).hasSize(1).allMatch(each -> each instanceof Conflict);
        }
    }
}
