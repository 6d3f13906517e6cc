package hermit.identity.sql;

import static hermit.identity.sql.PeopleUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.db.TestDatabase;
import hermit.identity.Token;
import hermit.identity.TokenHolder;
import hermit.identity.TokenHolder.Channel;
import hermit.identity.TokenHolder.Person;
import hermit.identity.TokenHolder.Program;
import hermit.identity.UserId;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.NotFound;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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
class TokenStoreTest {
    private static final PageRequest ALL = new PageRequest(Optional.empty(), 50);

    private final TestDatabase kind;

    @TempDir
    Path directory;

    private PeopleUnderTest people;

    TokenStoreTest(TestDatabase kind) {
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
    void a_token_of_each_kind_is_found_as_it_was_stored() {
        var ada = people.user("Ada");
        var agent = people.agent("main");
        for (TokenHolder holder : List.of(new Person(ada.id()), new Channel("telegram"), new Program(agent.uid()))) {
            String digest = holder.kind();
            var token = people.token(holder, digest);
            assertThat(people.tokens.find(digest)).contains(token);
            assertThat(people.tokens.find(token.id())).contains(token);
        }
        assertThat(people.tokens.find("another")).isEmpty();
    }

    @Test
    void nobody_who_is_not_there_gets_one() {
        var gone = people.user("Gone");
        people.users.delete(gone.id(), NOW);
        var agent = people.agent("main");
        people.deleteAgent(agent);
        for (TokenHolder holder : List.of(
                new Person(new UserId(people.newId())),
                new Person(gone.id()),
                new Program(people.newId()),
                new Program(agent.uid())))
            assertThatThrownBy(() -> people.token(holder, "x")).isInstanceOf(NotFound.class);
        assertThat(people.tokens.find("x")).isEmpty();
    }

    @Test
    void a_revoked_one_is_gone_and_cannot_be_revoked_again() {
        var token = people.token(new Channel("telegram"), "aa");
        assertThat(people.tokens.revoke(token.id(), NOW)).isTrue();
        assertThat(people.tokens.find("aa")).isEmpty();
        assertThat(people.tokens.find(token.id())).isEmpty();
        assertThat(people.tokens.list(Optional.empty(), ALL).items()).isEmpty();
        assertThat(people.tokens.revoke(token.id(), NOW)).isFalse();
    }

    @Test
    void a_program_s_token_dies_with_its_agent_and_a_new_agent_of_that_name_does_not_inherit_it() {
        var agent = people.agent("main");
        people.token(new Program(agent.uid()), "aa");
        people.deleteAgent(agent);
        people.agent("main");
        assertThat(people.tokens.find("aa")).isEmpty();
    }

    @Test
    void an_agent_has_programs_as_long_as_one_of_its_tokens_is_in_force() {
        var agent = people.agent("main");
        var other = people.agent("other");
        people.token(new Program(other.uid()), "other");
        people.token(new Person(people.user("Ada").id()), "ada");
        assertThat(people.tokens.hasProgram(agent.uid(), NOW)).isFalse();
        var one = people.token(new Program(agent.uid()), "aa");
        var two = people.token(new Program(agent.uid()), "bb");
        assertThat(people.tokens.hasProgram(agent.uid(), NOW)).isTrue();
        people.tokens.revoke(one.id(), NOW);
        assertThat(people.tokens.hasProgram(agent.uid(), NOW)).isTrue();
        Instant end = two.expiresAt().orElse(NOW);
        assertThat(people.tokens.hasProgram(agent.uid(), end)).isFalse();
        people.tokens.revoke(two.id(), NOW);
        assertThat(people.tokens.hasProgram(agent.uid(), NOW)).isFalse();
    }

    @Test
    void a_use_is_noted() {
        var token = people.token(new Channel("telegram"), "aa");
        people.tokens.used(token.id(), NOW.plusSeconds(5));
        assertThat(people.tokens.find("aa").orElseThrow().lastUsedAt()).contains(NOW.plusSeconds(5));
    }

    @Test
    void they_are_listed_in_pieces_of_all_or_of_one_person() {
        var ada = people.user("Ada");
        var first = people.token(ada, "a1");
        var bot = people.token(new Channel("telegram"), "b");
        var second = people.token(ada, "a2");
        var page = people.tokens.list(Optional.empty(), new PageRequest(Optional.empty(), 2));
        assertThat(page.items()).containsExactly(first, bot);
        assertThat(people.tokens
                        .list(Optional.empty(), new PageRequest(page.next(), 2))
                        .items())
                .containsExactly(second);
        assertThat(people.tokens.list(Optional.of(ada.id()), ALL).items())
                .extracting(Token::id)
                .containsExactly(first.id(), second.id());
    }
}
