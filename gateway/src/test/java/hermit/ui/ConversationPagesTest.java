package hermit.ui;

import static hermit.ui.AdminPagesTest.in;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.AriaRole;
import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient;
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
    void a_long_history_begins_at_its_end_and_is_read_backwards() {
        for (int i = 1; i <= 900; i++) program.post(session + "/messages", Map.of("text", "message number " + i + "."));
        page.logIn(TestClient.TOKEN, ofPage());
        page.sees("message number 900.");
        var log = page.page().getByRole(AriaRole.LOG);
        // Only what is seen is there.
        assertThat(log.getByRole(AriaRole.ARTICLE).count()).isLessThan(60);
        for (int i = 0; i < 3; i++) {
            log.evaluate("each => { each.scrollTop = 0; }");
            log.dispatchEvent("scroll");
            page.seesNot(page.page().locator("[data-loading] >> text=Earlier"));
        }
        while (page.button("Earlier").count() > 0
                && page.page().getByText("message number 1.").count() == 0) {
            page.button("Earlier").click();
            log.evaluate("each => { each.scrollTop = 0; }");
        }
        log.evaluate("each => { each.scrollTop = 0; }");
        page.sees("message number 1.");
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
        page.has(page.page().getByRole(AriaRole.ARTICLE), "denied");
        assertThat(gateway.client.get("/api/approvals?state=denied").items()).hasSize(1);
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
