package hermit.ui;

import static hermit.ui.AdminPagesTest.heading;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import hermit.People;
import hermit.TestGateway;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What people see of agents, by their role: nothing is offered that the gateway would refuse.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class RolePagesTest {
    private final TestBrowser browser = new TestBrowser();
    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);

    @BeforeAll
    void agents() {
        people.agent("shut", "private");
        people.agent("joined", "protected");
        people.agent("open", "public");
    }

    @AfterAll
    void close() {
        gateway.close();
        browser.close();
    }

    private List<String> tabs(TestPage page) {
        return page.page().getByRole(AriaRole.TAB).allTextContents();
    }

    private List<String> places(TestPage page) {
        return page.page()
                .getByRole(AriaRole.NAVIGATION, heading("Main"))
                .getByRole(AriaRole.LINK)
                .allTextContents();
    }

    @Test
    void an_owner_has_all_of_the_agent_and_nothing_of_the_gateway() {
        var owner = people.member("shut", "owner");
        try (var page = browser.page(gateway.port()).logIn(owner.token(), "/agents/shut")) {
            page.sees("you are its owner");
            assertThat(tabs(page))
                    .containsExactly(
                            "Sandboxes", "Sessions", "Approvals", "Members", "Security", "Config", "Skills", "Audit");
            assertThat(places(page)).containsExactly("Agents", "Approvals", "Skills", "Tokens", "System");
            page.open("/sandboxes");
            page.sees("Only the admin sees this");
            page.open("/agents/shut/members");
            page.sees(page.row("owner of shut"));
            page.isContent();
        }
    }

    @Test
    void users_and_guests_talk_and_see_no_more() {
        for (String role : List.of("user", "guest")) {
            var member = people.member("shut", role);
            try (var page = browser.page(gateway.port()).logIn(member.token(), "/agents")) {
                page.link("shut").click();
                page.sees("you are its " + role);
                assertThat(tabs(page)).isEmpty();
                page.seesNot(page.button("Delete agent"));
                page.click("Open session");
                page.fill("Message", "hello from a " + role);
                page.click("Send");
                page.has(page.page().getByRole(AriaRole.LOG), "hello from a " + role);
                page.isContent();
            }
            // Nothing was tried that had to be refused.
            assertThat(gateway.client.get("/api/audit?user=" + member.id()).items())
                    .extracting(each -> each.get("result"))
                    .containsOnly("ok");
        }
    }

    @Test
    void who_may_not_make_agents_is_told_so() {
        var person = people.person("reader");
        try (var page = browser.page(gateway.port())) {
            // As a gateway says it where only the admin makes agents.
            page.page().route("**/api/auth/login", route -> {
                var answer = route.fetch();
                String me = answer.text().replace("\"creates_agents\":true", "\"creates_agents\":false");
                assertThat(me).isNotEqualTo(answer.text());
                route.fulfill(new Route.FulfillOptions().setResponse(answer).setBody(me));
            });
            page.logIn(person.token(), "/agents").sees("No agents yet");
            assertThat(page.button("Create agent").isDisabled()).isTrue();
            page.page().keyboard().press("Tab"); // from here on the keyboard leads, and focus is shown
            page.button("Create agent").locator("..").focus();
            page.sees("On this gateway only the admin makes agents");
            page.isContent();
        }
        try (var page = browser.page(gateway.port()).logIn(person.token(), "/agents")) {
            page.sees("No agents yet");
            assertThat(page.button("Create agent").isEnabled()).isTrue();
        }
    }

    @Test
    void a_stranger_finds_joins_or_talks_as_the_agent_lets_them() {
        var stranger = people.person("stranger");
        try (var page = browser.page(gateway.port()).logIn(stranger.token(), "/agents")) {
            page.sees("No agents yet");
            page.fill("Another agent", "shut");
            page.click("Go there");
            page.sees("There is no agent shut, or it is not for you");
            page.open("/agents/open");
            page.sees("It is public");
            page.click("Open session");
            page.sees("Nothing has been said yet");
            page.open("/agents/open");
            page.sees("you are its guest");
            page.open("/agents/joined");
            page.fill("Access token", "open says me");
            page.click("Join");
            page.sees("does not open this agent");
            page.fill("Access token", "open sesame");
            page.click("Join");
            page.sees("you are its user");
            page.isContent();
        }
    }

    @Test
    void a_token_that_only_reads_is_told_so_where_something_would_change() {
        var reader = people.reading(people.member("shut", "owner"));
        try (var page = browser.page(gateway.port()).logIn(reader.token(), "/agents/shut")) {
            page.sees("(reads only)");
            assertThat(page.button("Add sandbox").isDisabled()).isTrue();
            page.open("/agents/shut/security");
            page.sees(page.button("Save policy"));
            assertThat(page.button("Save policy").isDisabled()).isTrue();
            assertThat(page.button("Delete agent").isDisabled()).isTrue();
            String terminals = "/agents/shut/sandboxes/default/terminals";
            String terminal = String.valueOf(gateway.client
                    .post("/api" + terminals, Map.of("cols", 80, "rows", 24))
                    .object()
                    .get("id"));
            page.open(terminals + "/" + terminal);
            page.sees("a token that only reads, and terminals are for typing");
            page.seesNot(page.button("Take control"));
            page.seesNot(page.button("End"));
            page.isContent();
        }
    }

    @Test
    void whoever_loses_their_role_loses_the_page() {
        var member = people.member("shut", "user");
        try (var page = browser.page(gateway.port()).logIn(member.token(), "/agents/shut")) {
            page.click("Open session");
            page.sees("live");
            gateway.client.delete("/api/agents/shut/members/" + member.id());
            gateway.recheckStreams();
            page.sees("Not found");
            page.open("/agents");
            page.sees("No agents yet");
            assertThat(gateway.client.get("/api/agents").items()).hasSize(3);
        }
    }

    @Test
    void a_login_that_has_ended_leads_to_the_login_and_back() {
        var owner = people.member("shut", "owner");
        try (var page = browser.page(gateway.port()).logIn(owner.token(), "/agents/shut/members")) {
            page.sees(page.row("owner of shut"));
            page.page().context().clearCookies();
            page.tab("Security");
            page.sees(page.button("Log in"));
            page.fill("Token", owner.token());
            page.click("Log in");
            page.sees(page.button("Save policy"));
            assertThat(page.page().url()).endsWith("/agents/shut/security");
        }
    }
}
