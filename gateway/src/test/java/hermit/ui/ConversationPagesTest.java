package hermit.ui;

import static hermit.ui.AdminPagesTest.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Sessions as they go on, and deciding what an agent may do in them.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class ConversationPagesTest {
    private final TestBrowser browser = new TestBrowser();
    private TestGateway gateway = new TestGateway();
    private TestPage page = browser.page(gateway.port());
    private TestClient program = gateway.client;
    private String session = "";

    @BeforeEach
    void a_session_of_a_program_of_a_supervised_agent() {
        page.close();
        gateway.close();
        gateway = new TestGateway();
        gateway.client.post("/api/agents", Map.of("id", "main"));
        program = new People(gateway).program("main").client();
        session = program.post("/api/agents/main/sessions", Map.of()).header("Location");
        page = browser.page(gateway.port());
    }

    @AfterEach
    void nothing_was_refused_by_the_policy_and_no_script_failed() {
        page.isContent();
    }

    @AfterAll
    void close() {
        page.close();
        gateway.close();
        browser.close();
    }

    private void ask(String command) {
        assertThat(program.post(session + "/tools/exec", Map.of("command", command))
                        .status())
                .isEqualTo(202);
    }

    private String ofPage() {
        return session.substring("/api".length());
    }

    @Test
    void what_asks_appears_by_itself_and_is_approved_once() throws Exception {
        page.logIn(TestClient.TOKEN, "/approvals");
        page.sees("Nobody waits for you");
        ask("echo approved");
        page.has(page.page().getByTestId("command"), "echo approved");
        page.sees(page.page().getByLabel("1 pending"));
        assertThat(page.page().title()).startsWith("(1) ");
        page.click("Approve");
        page.sees("Nobody waits for you");
        gateway.settle();
        page.has(page.page().getByRole(AriaRole.ARTICLE), "done");
        assertThat(program.get(session + "/messages").status()).isEqualTo(200);
    }

    @Test
    void a_denial_tells_the_agent_why() {
        ask("echo x");
        page.logIn(TestClient.TOKEN, "/approvals");
        page.click("Deny…");
        page.fill("Why not", "not on a Friday");
        page.click("Deny");
        page.has(page.page().getByRole(AriaRole.ARTICLE), "denied");
        page.has(page.page().getByRole(AriaRole.ARTICLE), "not on a Friday");
    }

    @Test
    void a_rule_is_spelled_out_before_it_is_made_and_can_be_taken_back() {
        ask("echo again");
        page.logIn(TestClient.TOKEN, "/approvals");
        page.page().getByLabel("always").check();
        page.sees("for 30 days");
        page.sees("compared as a whole");
        page.click("Approve, and remember");
        page.open("/approvals/rules");
        page.has(page.row("echo again"), "always");
        assertThat(program.post(session + "/tools/exec", Map.of("command", "echo again"))
                        .status())
                .isEqualTo(200);
        page.row("echo again").getByRole(AriaRole.BUTTON, in("Take back")).click();
        page.sees("Nothing is remembered");
        ask("echo again");
    }

    @Test
    void what_would_be_hidden_or_reordered_is_written_out() {
        ask("echo a\u202Egnp.exe\u200B; \u001B[2Kecho b\rc");
        page.logIn(TestClient.TOKEN, "/approvals");
        page.has(page.page().getByTestId("command"), "echo a⟦U+202E⟧gnp.exe⟦U+200B⟧; ⟦U+001B⟧[2Kecho b⟦U+000D⟧c");
    }

    @Test
    void a_session_is_followed_spoken_in_and_approved_in_place() throws Exception {
        page.logIn(TestClient.TOKEN, ofPage());
        page.sees("Nothing has been said yet");
        page.fill("Message", "hello there");
        page.field("Message").press("Enter");
        page.has(page.page().getByRole(AriaRole.LOG), "hello there");
        ask("echo from the session");
        page.has(page.page().getByRole(AriaRole.LOG), "pending");
        page.click("Approve");
        gateway.settle();
        page.has(page.page().getByLabel("Standard output"), "from the session");
        page.has(page.page().getByRole(AriaRole.LOG), "code 0");
    }

    @Test
    void what_waits_is_taken_back_when_the_session_is_cancelled() {
        ask("echo never");
        page.logIn(TestClient.TOKEN, ofPage());
        page.sees(page.button("Approve"));
        page.click("Cancel what runs");
        page.sees("1 that asked");
        page.has(page.page().getByRole(AriaRole.LOG), "cancelled");
        page.seesNot(page.button("Approve"));
        page.seesNot(page.page().getByLabel("1 pending"));
    }

    @Test
    void a_long_history_begins_at_its_end_and_is_read_backwards_in_its_place() {
        gateway.say(session, 10_000, i -> "message number " + i + ".");
        page.logIn(TestClient.TOKEN, ofPage());
        page.sees("message number 10000.");
        var log = page.page().getByRole(AriaRole.LOG);
        // Only what is seen is there.
        assertThat(log.getByRole(AriaRole.ARTICLE).count()).isLessThan(60);
        int first;
        do {
            // Far enough from the top that nothing comes by itself, near enough that the first one is there.
            page.page().waitForCondition(() -> {
                log.evaluate("each => { each.scrollTop = 150; }");
                return log.locator("[data-index='0']").count() == 1;
            });
            rests();
            first = number(log.locator("[data-index='0']").textContent());
            var top = page.page().getByText("message number " + first + ".", exactly());
            double place = top.boundingBox().y;
            page.button("Earlier").evaluate("each => each.click()");
            page.sees(page.page().getByText("message number " + (first - 1) + ".", exactly()));
            rests();
            assertThat(top.boundingBox().y).as("place of message " + first).isCloseTo(place, within(3.0));
            assertThat(log.getByRole(AriaRole.ARTICLE).count()).isLessThan(60);
        } while (first > 401);
        log.evaluate("each => { each.scrollTop = 0; }");
        page.sees(page.page().getByText("message number 1.", exactly()));
        page.seesNot(page.button("Earlier"));
    }

    private static int number(String message) {
        return Integer.parseInt(message.replaceAll(".*message number (\\d+)\\..*", "$1"));
    }

    /// What was to be measured has been, and is where it belongs.
    private void rests() {
        page.page().evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }

    private static Page.GetByTextOptions exactly() {
        return new Page.GetByTextOptions().setExact(true);
    }

    @Test
    void two_who_decide_at_once_are_told_who_was_first() {
        ask("echo once");
        page.logIn(TestClient.TOKEN, "/approvals");
        page.sees(page.button("Approve"));
        // As if the news of it were late.
        page.page().route("**/decision", route -> {
            var id = gateway.client.get("/api/approvals").items().getFirst().get("id");
            gateway.client.post("/api/approvals/" + id + "/decision", Map.of("decision", "deny"));
            route.resume();
        });
        page.click("Approve");
        page.sees("This approval is already denied");
        page.has(page.page().getByRole(AriaRole.ARTICLE), "denied");
        assertThat(gateway.client.get("/api/approvals?state=denied").items()).hasSize(1);
    }

    @Test
    void a_double_click_decides_about_nothing_that_comes_after() {
        ask("echo first");
        gateway.time.advance(Duration.ofSeconds(1));
        ask("echo second");
        page.page().clock().install();
        page.logIn(TestClient.TOKEN, "/approvals");
        page.sees("Waiting (2)");
        var first = page.page().getByRole(AriaRole.ARTICLE).filter(AdminPagesTest.text("echo first"));
        var second = page.page().getByRole(AriaRole.ARTICLE).filter(AdminPagesTest.text("echo second"));
        double place = second.boundingBox().y;
        first.getByRole(AriaRole.BUTTON, in("Approve")).dblclick();
        page.sees("Waiting (1)");
        // What is decided keeps its place for as long as a hand may be under way.
        page.seesNot(first.getByRole(AriaRole.BUTTON, in("Approve")));
        assertThat(page.page().getByRole(AriaRole.ARTICLE).first().textContent())
                .contains("echo first");
        // A second click is none, wherever it comes.
        second.getByRole(AriaRole.BUTTON, in("Approve")).dispatchEvent("click", Map.of("detail", 2));
        page.page().clock().runFor(4_000);
        page.has(page.page().getByRole(AriaRole.ARTICLE).first(), "echo second");
        assertThat(second.boundingBox().y).isLessThan(place);
        assertThat(gateway.client.get("/api/approvals?state=pending").items()).hasSize(1);
    }

    @Test
    void a_session_is_ended_and_forgotten() {
        page.logIn(TestClient.TOKEN, ofPage());
        page.click("End");
        page.confirm("End");
        PlaywrightAssertions.assertThat(page.field("Message")).isDisabled();
        assertThat(gateway.client.get(session).object()).containsEntry("state", "ended");
        page.click("Forget");
        page.confirm("Forget it");
        page.sees("No sessions yet");
        assertThat(gateway.client.get(session).status()).isEqualTo(404);
    }

    @Test
    void those_who_look_at_sessions_of_an_agent_see_them_all() {
        gateway.client.post(
                "/api/agents/main/sessions",
                Map.of("metadata", Map.of("topic", "weather"), "source", Map.of("kind", "cli")));
        page.logIn(TestClient.TOKEN, "/agents/main/sessions");
        page.has(page.row("admin"), "topic: weather");
        assertThat(page.page().getByRole(AriaRole.ROW).count()).isEqualTo(1 + 2);
        page.click("Open session");
        page.sees("Nothing has been said yet");
        assertThat(gateway.client.get("/api/agents/main/sessions").items())
                .extracting(each -> each.get("source"))
                .contains(Map.of("kind", "web", "interactive", true))
                .hasSize(3);
        assertThat(page.page().url()).contains("/agents/main/sessions/");
    }
}
