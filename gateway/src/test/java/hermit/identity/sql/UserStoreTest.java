package hermit.identity.sql;

import static hermit.identity.sql.PeopleUnderTest.NOW;
import static hermit.identity.sql.PeopleUnderTest.telegram;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.Racing;
import hermit.access.Role;
import hermit.db.TestDatabase;
import hermit.identity.Identity;
import hermit.identity.User;
import hermit.identity.UserId;
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
class UserStoreTest {
    private final TestDatabase kind;

    @TempDir
    Path directory;

    private PeopleUnderTest people;

    UserStoreTest(TestDatabase kind) {
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
    void a_person_is_found_by_id_and_by_each_identity() {
        var ada = people.user("Ada", new Identity("slack", "U1", Optional.empty()), telegram("1"));
        assertThat(people.users.find(ada.id())).contains(ada);
        assertThat(people.users.findBy("telegram", "1")).contains(ada);
        assertThat(people.users.findBy("slack", "U1")).contains(ada);
        assertThat(people.users.findBy("slack", "1")).isEmpty();
        assertThat(people.users.find(new UserId(people.newId()))).isEmpty();
    }

    @Test
    void a_refused_identity_leaves_no_half_made_person() {
        people.user("Ada", telegram("1"));
        var thief = new User(new UserId(people.newId()), "Eve", List.of(telegram("2"), telegram("1")), NOW);
        assertThatThrownBy(() -> people.users.add(thief)).isInstanceOf(Conflict.class);
        assertThat(people.users.find(thief.id())).isEmpty();
        assertThat(people.users.findBy("telegram", "2")).isEmpty();
        assertThat(people.users.findBy("telegram", "1")).map(User::name).contains("Ada");
    }

    @Test
    void an_identity_is_one_person_s_whoever_else_asks_for_it() {
        var ada = people.user("Ada", telegram("1"));
        var eve = people.user("Eve");
        people.users.addIdentity(ada.id(), telegram("1"), NOW);
        assertThatThrownBy(() -> people.users.addIdentity(eve.id(), telegram("1"), NOW))
                .isInstanceOf(Conflict.class);
        assertThatThrownBy(() -> people.users.addIdentity(new UserId(people.newId()), telegram("2"), NOW))
                .isInstanceOf(NotFound.class);
        assertThat(people.users.removeIdentity(eve.id(), "telegram", "1")).isFalse();
        assertThat(people.users.removeIdentity(ada.id(), "telegram", "1")).isTrue();
        people.users.addIdentity(eve.id(), telegram("1"), NOW);
        assertThat(people.users.findBy("telegram", "1")).map(User::id).contains(eve.id());
    }

    @Test
    void of_many_who_are_the_same_person_at_once_one_is_made() throws Exception {
        var racers = new ArrayList<Callable<UserId>>();
        for (int i = 0; i < 16; i++)
            racers.add(() -> people.user("Ada", telegram("1")).id());
        var finish = Racing.of(racers);
        assertThat(finish.results()).hasSize(1);
        assertThat(finish.failures()).hasSize(15).allMatch(each -> each instanceof Conflict);
        assertThat(people.users.findBy("telegram", "1"))
                .map(User::id)
                .contains(finish.results().getFirst());
        assertThat(people.users.list(new PageRequest(Optional.empty(), 50)).items())
                .hasSize(1);
    }

    @Test
    void people_are_listed_in_pieces_with_their_identities() {
        var ada = people.user("Ada", telegram("1"));
        var bob = people.user("Bob");
        var carol = people.user("Carol", telegram("3"));
        var first = people.users.list(new PageRequest(Optional.empty(), 2));
        assertThat(first.items()).containsExactly(ada, bob);
        var second = people.users.list(new PageRequest(first.next(), 2));
        assertThat(second.items()).containsExactly(carol);
        assertThat(second.next()).isEmpty();
    }

    @Test
    void a_deleted_person_has_no_rights_and_frees_what_they_were_known_as() {
        var ada = people.user("Ada", telegram("1"));
        var token = people.token(ada, "aa");
        var agent = people.agent("main");
        people.memberships.join(agent.uid(), ada.id(), Role.USER, NOW);

        assertThat(people.users.delete(ada.id(), NOW)).isTrue();

        assertThat(people.users.find(ada.id())).isEmpty();
        assertThat(people.users.findBy("telegram", "1")).isEmpty();
        assertThat(people.tokens.find("aa")).isEmpty();
        assertThat(people.tokens.find(token.id())).isEmpty();
        assertThat(people.role(agent, ada)).isEmpty();
        assertThat(people.users.delete(ada.id(), NOW)).isFalse();
        assertThatThrownBy(() -> people.users.addIdentity(ada.id(), telegram("9"), NOW))
                .isInstanceOf(NotFound.class);
        people.user("Another", telegram("1"));
    }

    @Test
    void the_last_owner_of_a_live_agent_cannot_be_deleted() {
        var ada = people.user("Ada");
        var bob = people.user("Bob");
        var agent = people.agent("main");
        people.memberships.join(agent.uid(), ada.id(), Role.OWNER, NOW);
        people.memberships.join(agent.uid(), bob.id(), Role.USER, NOW);
        assertThatThrownBy(() -> people.users.delete(ada.id(), NOW))
                .isInstanceOf(Conflict.class)
                .hasMessageContaining("main");
        assertThat(people.role(agent, ada)).contains(Role.OWNER);
        people.memberships.change(agent.uid(), bob.id(), Role.OWNER);
        assertThat(people.users.delete(ada.id(), NOW)).isTrue();
        people.deleteAgent(agent);
        assertThat(people.users.delete(bob.id(), NOW)).isTrue();
    }

    @Test
    void of_two_owners_who_are_deleted_at_once_one_stays() throws Exception {
        for (int round = 0; round < 10; round++) {
            var ada = people.user("Ada");
            var bob = people.user("Bob");
            var agent = people.agent("agent-" + round);
            people.memberships.join(agent.uid(), ada.id(), Role.OWNER, NOW);
            people.memberships.join(agent.uid(), bob.id(), Role.OWNER, NOW);
            var finish = Racing.<Boolean>of(
                    List.of(() -> people.users.delete(ada.id(), NOW), () -> people.users.delete(bob.id(), NOW)));
            assertThat(finish.results()).containsExactly(true);
            assertThat(finish.failures()).hasSize(1).allMatch(each -> each instanceof Conflict);
        }
    }

    @Test
    void of_two_people_who_are_one_everything_is_kept() {
        var ada = people.user("Ada", telegram("1"));
        var twin = people.user("ada@example.org", new Identity("slack", "U1", Optional.empty()));
        var token = people.token(twin, "aa");
        var higher = people.agent("higher");
        var lower = people.agent("lower");
        var only = people.agent("only");
        people.memberships.join(higher.uid(), twin.id(), Role.OWNER, NOW);
        people.memberships.join(higher.uid(), ada.id(), Role.GUEST, NOW);
        people.memberships.join(lower.uid(), twin.id(), Role.GUEST, NOW);
        people.memberships.join(lower.uid(), ada.id(), Role.USER, NOW);
        people.memberships.join(only.uid(), twin.id(), Role.OWNER, NOW);

        people.users.merge(twin.id(), ada.id(), NOW);

        assertThat(people.users.find(twin.id())).isEmpty();
        assertThat(people.users.find(ada.id()).orElseThrow().identities())
                .extracting(Identity::channel)
                .containsExactly("slack", "telegram");
        assertThat(people.role(higher, ada)).contains(Role.OWNER);
        assertThat(people.role(lower, ada)).contains(Role.USER);
        assertThat(people.role(only, ada)).contains(Role.OWNER);
        assertThat(people.tokens.find(token.id()).orElseThrow().holder())
                .isEqualTo(new hermit.identity.TokenHolder.Person(ada.id()));
    }

    @Test
    void a_merge_with_somebody_who_is_not_there_changes_nothing() {
        var ada = people.user("Ada", telegram("1"));
        var nobody = new UserId(people.newId());
        assertThatThrownBy(() -> people.users.merge(ada.id(), nobody, NOW)).isInstanceOf(NotFound.class);
        assertThatThrownBy(() -> people.users.merge(nobody, ada.id(), NOW)).isInstanceOf(NotFound.class);
        assertThat(people.users.find(ada.id())).contains(ada);
    }
}
