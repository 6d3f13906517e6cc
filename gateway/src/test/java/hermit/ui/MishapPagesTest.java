package hermit.ui;

import static hermit.ui.AdminPagesTest.heading;
import static hermit.ui.AdminPagesTest.in;
import static hermit.ui.AdminPagesTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What goes wrong under a page, or under the hands of whoever uses it: what it says then, and what it
/// does not do.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class MishapPagesTest {
    private static final String SANDBOX = "/agents/main/sandboxes/default";
    private static final String UNAVAILABLE =
            "{\"type\": \"about:blank\", \"title\": \"x\", \"status\": 503, \"code\": \"backend_unavailable\","
                    + " \"detail\": \"The store is away\", \"errors\": []}";

    private final TestBrowser browser = new TestBrowser();
    private TestGateway gateway = new TestGateway();
    private TestPage page = browser.page(gateway.port());

    @BeforeEach
    void an_agent() {
        page.close();
        gateway.close();
        gateway = new TestGateway();
        gateway.client.post("/api/agents", Map.of("id", "main"));
        page = browser.page(gateway.port());
    }

    @AfterAll
    void close() {
        page.close();
        gateway.close();
        browser.close();
    }

    private static void unavailable(Route route) {
        route.fulfill(new Route.FulfillOptions()
                .setStatus(503)
                .setContentType("application/problem+json")
                .setBody(UNAVAILABLE));
    }

    /// The requests to addresses that have this in them, from now on.
    private List<String> requests(String part) {
        var seen = new CopyOnWriteArrayList<String>();
        page.page().onRequest((Request request) -> {
            if (request.url().contains(part)) seen.add(request.method() + " " + request.url());
        });
        return seen;
    }

    private void looksAway(boolean away) {
        page.page().evaluate("""
                away => {
                  Object.defineProperty(document, 'visibilityState',
                      {value: away ? 'hidden' : 'visible', configurable: true});
                  document.dispatchEvent(new Event('visibilitychange', {bubbles: true}));
                }
                """, away);
    }

    @Test
    void a_failure_of_the_gateway_is_said_and_tried_again_on_demand() {
        page.page().route("**/api/agents?*", MishapPagesTest::unavailable);
        page.logIn(TestClient.TOKEN, "/agents");
        page.sees("The store is away");
        page.page().unroute("**/api/agents?*");
        page.click("Try again");
        page.sees(page.row("main"));
    }

    @Test
    void a_page_that_the_gateway_does_not_answer_says_so_from_the_beginning() {
        page.page().route("**/api/me", Route::abort);
        page.open("/agents");
        page.sees("The gateway does not answer. This page asks again until it does.");
        page.page().unroute("**/api/me");
        page.sees(page.button("Log in"));
    }

    @Test
    void what_a_page_cannot_show_takes_nothing_else_with_it() {
        page.page().route("**/assets/TerminalPage*", Route::abort);
        gateway.client.post("/api" + SANDBOX + "/start", Map.of());
        page.logIn(TestClient.TOKEN, SANDBOX);
        page.page().getByRole(AriaRole.LINK).filter(text("Open terminal")).click();
        page.sees("This page has failed");
        page.sees(page.button("Reload"));
        page.link("Agents").first().click();
        page.sees(page.row("main"));
        page.seesNot(page.button("Reload"));
    }

    @Test
    void an_address_with_a_time_that_is_none_narrows_nothing() {
        page.logIn(TestClient.TOKEN, "/audit?since=yesterday&until=x");
        page.sees(page.row("agents.create"));
    }

    @Test
    void a_hasty_enter_destroys_nothing() {
        page.logIn(TestClient.TOKEN, "/agents");
        page.row("main").getByRole(AriaRole.BUTTON, in("Delete")).focus();
        page.page().keyboard().press("Enter");
        PlaywrightAssertions.assertThat(page.dialog().getByRole(AriaRole.BUTTON, in("Cancel")))
                .isFocused();
        page.page().keyboard().press("Enter");
        page.seesNot(page.dialog());
        assertThat(gateway.client.get("/api/agents/main").status()).isEqualTo(200);
    }

    @Test
    void what_is_denied_is_taken_away_and_not_asked_for_again() {
        var people = new People(gateway);
        people.member("main", "owner"); // the last one could not cease to be one
        var owner = people.member("main", "owner");
        page.page().clock().install();
        page.logIn(owner.token(), "/agents/main/sandboxes");
        page.sees(page.row("default"));
        assertThat(gateway.client
                        .put("/api/agents/main/members/" + owner.id(), Map.of("role", "guest"))
                        .status())
                .isEqualTo(200);
        var asked = requests("/api/agents/main/sandboxes");
        page.page().clock().runFor(3_500);
        page.sees("Only owners of this agent may do that");
        page.seesNot(page.row("default"));
        assertThat(asked).hasSize(1);
        // What one is by now is asked for, and the page becomes a guest's.
        page.page().clock().runFor(15_500);
        page.sees("you are its guest");
        page.seesNot(page.page().getByRole(AriaRole.TAB));
        assertThat(asked).hasSize(1);
        page.page().clock().runFor(60_000);
        assertThat(gateway.client.get("/api/audit?user=" + owner.id()).items())
                .extracting(each -> each.get("result"))
                .filteredOn(each -> !each.equals("ok"))
                .hasSize(1);
    }

    @Test
    void out_of_sight_approvals_are_asked_for_whatever_has_failed_before() {
        gateway.client.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec")));
        var program = new People(gateway).program("main").client();
        String session = program.post("/api/agents/main/sessions", Map.of()).header("Location");
        page.page().clock().install();
        page.logIn(TestClient.TOKEN, "/agents");
        page.sees(page.row("main"));
        page.page().route("**/api/approvals?*", Route::abort);
        looksAway(true);
        page.page()
                .waitForRequest("**/api/approvals?*", () -> page.page().clock().runFor(15_500));
        page.page().unroute("**/api/approvals?*");
        program.post(session + "/tools/exec", Map.of("command", "echo asks"));
        page.page()
                .waitForResponse("**/api/approvals?*", () -> page.page().clock().runFor(15_500));
        page.sees(page.page().getByLabel("1 pending"));
    }

    @Test
    void looking_away_and_back_starts_no_machine() {
        gateway.client.post("/api" + SANDBOX + "/start", Map.of());
        page.page().clock().install();
        page.logIn(TestClient.TOKEN, SANDBOX + "/files");
        page.sees(page.button("New folder"));
        assertThat(gateway.client
                        .send("POST", "/api" + SANDBOX + "/stop?force=true", "")
                        .status())
                .isEqualTo(200);
        var asked = requests("/files/list");
        looksAway(true);
        page.page().clock().runFor(10_000);
        looksAway(false);
        page.page().clock().runFor(3_500);
        page.sees("The machine does not run");
        assertThat(asked).isEmpty();
        page.click("Start it and look");
        page.sees(page.button("New folder"));
        assertThat(asked).hasSize(1);
    }

    @Test
    void an_address_alone_starts_no_machine() {
        page.logIn(TestClient.TOKEN, SANDBOX + "/terminals/new");
        page.sees(page.button("Start the machine and open a terminal"));
        assertThat(gateway.client.get("/api" + SANDBOX).object()).containsEntry("status", "pending");
        page.click("Start the machine and open a terminal");
        page.sees("connected");
    }

    @Test
    void whoever_leaves_while_a_terminal_opens_stays_where_they_went() {
        page.logIn(TestClient.TOKEN, SANDBOX);
        page.page().route("**/terminals", route -> {
            page.link("Agents").first().click();
            route.resume();
        });
        page.page()
                .waitForResponse(
                        "**/terminals",
                        () -> page.page()
                                .getByRole(AriaRole.LINK)
                                .filter(text("Open terminal"))
                                .click());
        page.sees(page.page().getByRole(AriaRole.HEADING, heading("Agents")));
        assertThat(page.page().url()).endsWith("/agents");
    }

    @Test
    void a_policy_that_somebody_edits_is_not_lost_when_another_saves() {
        page.page().clock().install();
        page.logIn(TestClient.TOKEN, "/agents/main/security");
        page.choose("Access", "public");
        gateway.client.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", "full", "require_approval_for", List.of()));
        looksAway(true);
        page.page().clock().runFor(5_000);
        looksAway(false);
        page.sees("Somebody else has changed it meanwhile");
        assertThat(page.page().getByLabel("Access", exactly()).inputValue()).isEqualTo("public");
        page.click("Show what is there now, instead of mine");
        assertThat(page.page().getByLabel("Access", exactly()).inputValue()).isEqualTo("private");
        assertThat(page.page().getByLabel("Autonomy").inputValue()).isEqualTo("full");
    }

    @Test
    void an_access_token_is_forgotten_once_it_is_in_force() {
        page.logIn(TestClient.TOKEN, "/agents/main/security");
        page.fill("Access token", "correct horse battery staple");
        page.choose("Access", "protected");
        page.click("Save policy");
        page.sees("The policy is in force");
        page.sees("One is set, and is never shown");
        assertThat(page.field("Access token").inputValue()).isEmpty();
        page.page()
                .getByText("JSON", new com.microsoft.playwright.Page.GetByTextOptions().setExact(true))
                .click();
        assertThat(page.field("Policy").inputValue()).contains("protected").doesNotContain("access_token", "battery");
    }

    @Test
    void a_config_of_a_sandbox_that_somebody_edits_is_not_lost_when_another_saves() {
        page.page().clock().install();
        page.logIn(TestClient.TOKEN, SANDBOX);
        page.fill("Config", "{\"image\": \"mine\"}");
        gateway.client.patch("/api" + SANDBOX, Map.of("config", Map.of("image", "theirs")));
        page.page().clock().runFor(3_500);
        page.sees("Somebody else has changed it meanwhile");
        assertThat(page.field("Config").inputValue()).isEqualTo("{\"image\": \"mine\"}");
        page.click("Save config");
        page.sees("The config is saved");
        page.seesNot(page.page().getByText("Somebody else has changed it meanwhile"));
        assertThat(gateway.client.get("/api" + SANDBOX).object()).containsEntry("config", Map.of("image", "mine"));
    }

    @Test
    void what_could_not_be_sent_comes_back() {
        String session =
                gateway.client.post("/api/agents/main/sessions", Map.of()).header("Location");
        page.logIn(TestClient.TOKEN, session.substring("/api".length()));
        page.sees("Nothing has been said yet");
        page.page().route("**/messages", MishapPagesTest::unavailable);
        page.fill("Message", "hello there");
        page.field("Message").press("Enter");
        page.sees("The store is away");
        assertThat(page.field("Message").inputValue()).isEqualTo("hello there");
        page.open(SANDBOX + "/commands");
        page.page().route("**/execs", MishapPagesTest::unavailable);
        page.fill("Run a command", "echo precious");
        page.click("Run");
        page.sees("The store is away");
        assertThat(page.field("Run a command").inputValue()).isEqualTo("echo precious");
    }

    private static com.microsoft.playwright.Page.GetByLabelOptions exactly() {
        return new com.microsoft.playwright.Page.GetByLabelOptions().setExact(true);
    }
}
