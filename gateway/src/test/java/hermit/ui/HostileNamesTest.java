package hermit.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.AriaRole;
import hermit.People;
import hermit.TestGateway;
import hermit.api.VisibleText;
import hermit.http.TestClient;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Names and outputs that would be more than text on a careless page. Each that ran would set `hacked`, load a picture
/// from elsewhere, or leave the page.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class HostileNamesTest {
    private static final List<String> NAMES = List.of(
            "<script>hacked=1</script>",
            "<img src=x onerror=hacked=1>",
            "\"><svg onload=hacked=1>",
            "javascript:hacked=1",
            "{{constructor.constructor('hacked=1')()}}",
            "<a href=//evil.example>x</a>",
            "<style>*{display:none}</style>",
            // Shown backwards from there on, and not to be told from "Ada".
            "invoice\u202Egnp.exe",
            "A\u200Bda");

    private final TestBrowser browser = new TestBrowser();
    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);
    private TestPage page = browser.page(gateway.port());

    @BeforeAll
    void names_everywhere() {
        for (int i = 0; i < NAMES.size(); i++) {
            String name = NAMES.get(i);
            gateway.client.post("/api/agents", Map.of("id", "agent-" + i, "name", name));
            gateway.client.post("/api/users", Map.of("name", name));
            gateway.client.post(
                    "/api/agents/agent-0/members",
                    Map.of("channel", "telegram", "channel_user_id", "u" + i, "display_name", name, "role", "user"));
        }
        gateway.client.post("/api/agents/agent-0/sandboxes/default/start", Map.of());
        page.logIn(TestClient.TOKEN, "/agents");
    }

    @AfterAll
    void close() {
        page.close();
        gateway.close();
        browser.close();
    }

    private void isHarmless() {
        assertThat(page.page().evaluate("() => typeof hacked")).isEqualTo("undefined");
        assertThat(page.page().url()).startsWith("http://127.0.0.1:" + gateway.port());
        page.isContent();
    }

    private void showsAll(String path) {
        page.open(path);
        for (String name : NAMES) page.sees(VisibleText.of(name));
        isHarmless();
    }

    @Test
    void where_people_are_chosen_each_is_told_from_those_with_the_same_name() {
        String ada = "Ada";
        for (int i = 0; i < 2; i++) gateway.client.post("/api/users", Map.of("name", ada));
        page.open("/agents/agent-1/members");
        page.click("Add member");
        page.sees(page.dialog());
        var labels = page.dialog().getByLabel("Person").locator("option").allTextContents();
        assertThat(labels).doesNotHaveDuplicates().anyMatch(each -> each.startsWith("A⟦U+200B⟧da · …"));
        assertThat(labels.stream().filter(each -> each.startsWith("Ada · …"))).hasSize(2);
        assertThat(labels).anyMatch(each -> each.contains("telegram: u1 · …"));
        isHarmless();
    }

    @Test
    void agents_people_and_members_have_names_of_text() {
        showsAll("/agents");
        showsAll("/people");
        showsAll("/agents/agent-0/members");
        page.open("/agents/agent-1");
        page.sees(page.page().getByRole(AriaRole.HEADING, AdminPagesTest.heading(NAMES.get(1))));
        isHarmless();
    }

    @Test
    void files_have_names_of_text() {
        for (String name : NAMES)
            if (!name.contains("/"))
                gateway.client.send(gateway.client
                        .request("/api/agents/agent-0/sandboxes/default/files?path="
                                + URLEncoder.encode(name, StandardCharsets.UTF_8))
                        .PUT(BodyPublishers.ofString("x")));
        page.open("/agents/agent-0/sandboxes/default/files");
        for (String name : NAMES) if (!name.contains("/")) page.sees(page.button(VisibleText.of(name)));
        isHarmless();
    }

    @Test
    void output_is_text_without_links_and_without_what_moves_a_cursor() {
        String hostile = "<img src=x onerror=hacked=1>"
                + "\u001B]8;;javascript:hacked=1\u0007link\u001B]8;;\u0007"
                + "\u001B]52;c;aGFja2Vk\u0007"
                + "\u001B[2J\u001B[31mred\u001B[0m";
        gateway.client.post("/api/agents/agent-0/sandboxes/default/execs", Map.of("command", "bytes " + hex(hostile)));
        page.open("/agents/agent-0/sandboxes/default/commands");
        page.page()
                .getByRole(AriaRole.BUTTON)
                .filter(AdminPagesTest.text("bytes"))
                .first()
                .click();
        page.has(page.page().getByLabel("Standard output"), "<img src=x onerror=hacked=1>linkred");
        assertThat(page.page().getByLabel("Standard output").locator("a, img").count())
                .isZero();
        isHarmless();
    }

    @Test
    void a_terminal_follows_no_link_and_fills_no_clipboard() {
        page.page().evaluate("() => navigator.clipboard.writeText('mine')");
        page.open("/agents/agent-0/sandboxes/default/terminals/new");
        page.click("Start the machine and open a terminal");
        page.sees("connected");
        page.page().keyboard().insertText("\u001B]52;c;aGFja2Vk\u0007<script>hacked=1</script>\u001B]0;hacked\u0007");
        page.page().keyboard().insertText("\u001B]8;;https://evil.example/\u0007clickme\u001B]8;;\u0007");
        var terminal = page.page().getByTestId("terminal");
        page.has(terminal, "<script>hacked=1</script>");
        page.has(terminal, "clickme");
        var link = terminal.getByText("clickme").first().boundingBox();
        page.page().mouse().move(link.x + 4, link.y + 4);
        page.page().mouse().click(link.x + link.width / 2, link.y + link.height / 2);
        page.sees("The link says: https://evil.example/");
        assertThat(page.page().context().pages()).hasSize(1);
        assertThat(page.page().evaluate("() => navigator.clipboard.readText()")).isEqualTo("mine");
        assertThat(page.page().title()).doesNotContain("hacked");
        isHarmless();
    }

    @Test
    void what_is_said_and_asked_is_text() {
        var program = people.program("agent-0").client();
        String session = program.post(
                        "/api/agents/agent-0/sessions", Map.of("metadata", Map.of("topic", NAMES.getFirst())))
                .header("Location");
        for (String name : NAMES) {
            program.post(session + "/messages", Map.of("text", name));
            program.post(session + "/tools/exec", Map.of("command", "echo " + name));
        }
        // High enough for all of them: of a conversation only what is seen is there.
        page.page().setViewportSize(1280, 4_000);
        page.open(session.substring("/api".length()));
        for (String name : NAMES)
            page.sees(page.page().getByText("echo " + VisibleText.of(name)).first());
        isHarmless();
        page.open("/approvals");
        for (String name : NAMES)
            page.sees(page.page().getByText("echo " + VisibleText.of(name)).first());
        isHarmless();
        page.open("/agents/agent-0/sessions");
        page.sees(NAMES.getFirst());
        isHarmless();
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
