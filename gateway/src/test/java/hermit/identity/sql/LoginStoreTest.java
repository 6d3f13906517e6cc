package hermit.identity.sql;

import static hermit.identity.sql.PeopleUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.Racing;
import hermit.db.TestDatabase;
import hermit.identity.Login;
import java.nio.file.Path;
import java.util.ArrayList;
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
class LoginStoreTest {
    private static final Login.Holder ADMIN = new Login.OfAdmin("0f".repeat(32));

    private final TestDatabase kind;

    @TempDir
    Path directory;

    private PeopleUnderTest people;

    LoginStoreTest(TestDatabase kind) {
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
    void a_login_is_found_until_it_expires_or_ends() {
        var byToken = new Login.ByToken(people.token(people.user("Ada"), "aa").id());
        people.logins.add("l1", byToken, NOW, NOW.plusSeconds(10));
        people.logins.add("l2", ADMIN, NOW, NOW.plusSeconds(10));
        assertThat(people.logins.find("l1", NOW.plusSeconds(9))).contains(byToken);
        assertThat(people.logins.find("l2", NOW)).contains(ADMIN);
        assertThat(people.logins.find("l1", NOW.plusSeconds(10))).isEmpty();
        people.logins.remove("l1");
        assertThat(people.logins.find("l1", NOW)).isEmpty();
        assertThat(people.logins.find("l2", NOW)).isPresent();
    }

    @Test
    void a_ticket_opens_its_own_path_once_and_not_after_its_end() {
        people.logins.addTicket("t1", ADMIN, "/api/a", NOW.plusSeconds(30));
        assertThat(people.logins.takeTicket("t1", "/api/b", NOW)).isEmpty();
        assertThat(people.logins.takeTicket("t1", "/api/a", NOW.plusSeconds(30)))
                .isEmpty();
        assertThat(people.logins.takeTicket("t1", "/api/a", NOW.plusSeconds(29)))
                .contains(ADMIN);
        assertThat(people.logins.takeTicket("t1", "/api/a", NOW)).isEmpty();
    }

    @Test
    void a_ticket_stands_for_the_login_that_asked_for_it() {
        var browser = new Login.OfBrowser("ab".repeat(32));
        people.logins.addTicket("t1", browser, "/api/a", NOW.plusSeconds(30));
        assertThat(people.logins.takeTicket("t1", "/api/a", NOW)).contains(browser);
    }

    @Test
    void of_many_who_come_with_one_ticket_one_gets_in() throws Exception {
        people.logins.addTicket("t1", ADMIN, "/api/a", NOW.plusSeconds(30));
        var racers = new ArrayList<Callable<Optional<Login>>>();
        for (int i = 0; i < 8; i++) racers.add(() -> people.logins.takeTicket("t1", "/api/a", NOW));
        assertThat(Racing.of(racers).results())
                .hasSize(8)
                .filteredOn(Optional::isPresent)
                .hasSize(1);
    }

    @Test
    void what_has_expired_is_forgotten_and_nothing_else() {
        people.logins.add("old", ADMIN, NOW, NOW.plusSeconds(10));
        people.logins.add("new", ADMIN, NOW, NOW.plusSeconds(11));
        people.logins.addTicket("t", ADMIN, "/api/a", NOW.plusSeconds(11));
        people.logins.prune(NOW.plusSeconds(10));
        assertThat(people.logins.find("old", NOW)).isEmpty();
        assertThat(people.logins.find("new", NOW)).isPresent();
        assertThat(people.logins.takeTicket("t", "/api/a", NOW)).isPresent();
    }
}
