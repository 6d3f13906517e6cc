package hermit.ui;

import static hermit.ui.AdminPagesTest.in;
import static hermit.ui.AdminPagesTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.FilePayload;
import hermit.TestGateway;
import hermit.http.TestClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What one does in a sandbox: commands, files and terminals.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class SandboxPagesTest {
    private static final String SANDBOX = "/agents/main/sandboxes/default";

    private final TestBrowser browser = new TestBrowser();
    private TestGateway gateway = new TestGateway();
    private TestPage page = browser.page(gateway.port());

    @BeforeEach
    void an_agent_whose_sandbox_runs() {
        page.close();
        gateway.close();
        gateway = new TestGateway();
        gateway.client.post("/api/agents", Map.of("id", "main"));
        gateway.client.post("/api" + SANDBOX + "/start", Map.of());
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

    private void logIn(String path) {
        page.logIn(TestClient.TOKEN, path);
    }

    @Test
    void a_command_shows_what_it_prints_and_how_it_ended() {
        logIn(SANDBOX + "/commands");
        page.sees("No commands yet");
        page.fill("Run a command", "echo hello; err oh; exit 3");
        page.click("Run");
        page.has(page.page().getByLabel("Standard output"), "hello");
        page.has(page.page().getByLabel("Standard error"), "oh");
        page.has(page.row("echo hello"), "exited");
        page.has(page.row("echo hello").locator("td").nth(3), "3");
    }

    @Test
    void a_command_that_runs_is_cancelled() {
        logIn(SANDBOX + "/commands");
        page.fill("Run a command", "echo begun; hang");
        page.click("Run");
        page.has(page.page().getByLabel("Standard output"), "begun");
        page.page().getByLabel("Only those that run").check();
        page.has(page.row("hang"), "running");
        page.click("Cancel it");
        page.has(page.page().getByLabel("The chosen command"), "cancelled");
        page.sees("Nothing runs");
    }

    @Test
    void files_are_browsed_edited_uploaded_with_progress_moved_downloaded_and_deleted() throws Exception {
        String files = "/api" + SANDBOX + "/files";
        gateway.client.post(files + "/mkdir", Map.of("path", "/root/notes"));
        gateway.client.send(
                gateway.client.request(files + "?path=/root/notes/a.txt").PUT(BodyPublishers.ofString("one\n")));
        logIn(SANDBOX + "/files");
        page.click("notes/");
        page.click("a.txt");
        assertThat(page.field("Content").inputValue()).isEqualTo("one\n");
        page.fill("Content", "one\ntwo\n");
        page.confirm("Save");
        page.sees("The file is saved");
        assertThat(gateway.client.get(files + "?path=/root/notes/a.txt").text()).isEqualTo("one\ntwo\n");

        page.page()
                .locator("input[type=file]")
                .setInputFiles(new FilePayload(
                        "b.txt", "text/plain", "b".repeat(300_000).getBytes(StandardCharsets.UTF_8)));
        page.sees("b.txt is uploaded");
        page.has(page.row("b.txt"), "293 KiB");
        page.row("b.txt").getByRole(AriaRole.BUTTON, in("Move")).click();
        page.dialog().getByLabel("To").fill("/root/notes/c.txt");
        page.confirm("Move");
        page.sees(page.row("c.txt"));
        var download = page.page()
                .waitForDownload(() -> page.row("a.txt")
                        .getByRole(AriaRole.LINK, in("Download"))
                        .click());
        assertThat(Files.readString(download.path())).isEqualTo("one\ntwo\n");
        page.row("c.txt").getByRole(AriaRole.BUTTON, in("Delete")).click();
        page.confirm("Delete");
        page.seesNot(page.row("c.txt"));
    }

    @Test
    void an_edit_is_not_dropped_and_not_saved_over_anothers_unasked() {
        String files = "/api" + SANDBOX + "/files";
        gateway.client.send(gateway.client.request(files + "?path=/root/a.txt").PUT(BodyPublishers.ofString("one\n")));
        logIn(SANDBOX + "/files");
        page.click("a.txt");
        page.fill("Content", "mine\n");
        page.page().keyboard().press("Escape");
        page.sees("Leave without saving?");
        page.click("Cancel");
        assertThat(page.field("Content").inputValue()).isEqualTo("mine\n");
        gateway.client.send(
                gateway.client.request(files + "?path=/root/a.txt").PUT(BodyPublishers.ofString("another's\n")));
        page.confirm("Save");
        page.sees("Save over what somebody else has changed?");
        page.click("Cancel");
        assertThat(gateway.client.get(files + "?path=/root/a.txt").text()).isEqualTo("another's\n");
        page.confirm("Save");
        page.click("Save mine");
        page.sees("The file is saved");
        assertThat(gateway.client.get(files + "?path=/root/a.txt").text()).isEqualTo("mine\n");
        page.click("a.txt");
        page.sees(page.field("Content"));
        page.page().keyboard().press("Escape");
        page.seesNot(page.dialog());
    }

    @Test
    void a_folder_is_made_and_downloaded_and_an_upload_that_fails_says_why() {
        logIn(SANDBOX + "/files");
        page.click("New folder");
        page.dialog().getByLabel("Name").fill("made");
        page.confirm("Make");
        page.click("made/");
        page.sees("Nothing in here");
        var tar = page.page().waitForDownload(() -> page.link("Download as tar").click());
        assertThat(tar.suggestedFilename()).endsWith(".tar");
        page.page()
                .route(
                        "**/files?path=*",
                        route -> route.fulfill(new Route.FulfillOptions()
                                .setStatus(507)
                                .setContentType("application/problem+json")
                                .setBody("{\"status\": 507, \"code\": \"x\", \"detail\": \"The disk is full\","
                                        + " \"errors\": []}")));
        page.page().locator("input[type=file]").setInputFiles(new FilePayload("b.txt", "text/plain", new byte[] {1}));
        page.sees("The disk is full");
        page.click("Close");
        page.seesNot(page.page().getByText("The disk is full"));
    }

    @Test
    void dropped_files_go_into_the_folder_that_is_seen() {
        logIn(SANDBOX + "/files");
        page.sees(page.page().getByTestId("drop"));
        var data = page.page().evaluateHandle("""
                () => {
                  const data = new DataTransfer();
                  data.items.add(new File(['dropped'], 'd.txt'));
                  return data;
                }
                """);
        page.page().getByTestId("drop").dispatchEvent("drop", Map.of("dataTransfer", data));
        page.sees(page.row("d.txt"));
        // Beside the box, too: else the browser would leave the page for the file.
        var beside = page.page().evaluateHandle("""
                () => {
                  const data = new DataTransfer();
                  data.items.add(new File(['beside'], 'e.txt'));
                  return data;
                }
                """);
        var onTheList = Map.of("dataTransfer", beside, "bubbles", true, "cancelable", true);
        assertThat(page.row("d.txt").evaluate("""
                        (row, data) => !row.dispatchEvent(new DragEvent('dragover',
                            {dataTransfer: data, bubbles: true, cancelable: true}))
                        """, beside))
                .as("the list takes what is held over it")
                .isEqualTo(true);
        page.row("d.txt").dispatchEvent("drop", onTheList);
        page.sees(page.row("e.txt"));
        assertThat(gateway.client.get("/api" + SANDBOX + "/files?path=d.txt").text())
                .isEqualTo("dropped");
    }

    @Test
    void a_terminal_is_opened_typed_into_and_looked_at_by_two() {
        logIn(SANDBOX);
        page.page().getByRole(AriaRole.LINK).filter(text("Open terminal")).click();
        page.sees("connected");
        assertThat(page.page().url()).matches(".*/terminals/[0-9a-f-]{36}");
        page.page().keyboard().type("abc");
        page.has(page.page().getByTestId("terminal"), "abc");

        try (var other = browser.page(gateway.port())) {
            other.logIn(TestClient.TOKEN, page.page().url());
            other.has(other.page().getByTestId("terminal"), "abc");
            other.sees("Somebody else types here");
            other.click("Take control");
            page.sees("Somebody else types here");
            other.page().keyboard().type("xyz");
            page.has(page.page().getByTestId("terminal"), "xyz");
            other.isContent();
            other.click("End");
            other.confirm("End it");
            other.sees("ended:");
        }
        page.sees("ended:");
    }

    @Test
    void a_machine_that_is_gone_is_repaired() {
        var row = gateway.client.get("/api" + SANDBOX).object();
        gateway.docker.lose(UUID.fromString(String.valueOf(row.get("id"))));
        logIn(SANDBOX);
        page.sees("The machine differs from its row");
        page.click("Repair");
        page.seesNot(page.page().getByText("The machine differs from its row"));
        page.has(page.page().locator("dl.facts").first(), "running");
    }

    @Test
    void what_is_left_over_in_a_cloud_is_reclaimed() {
        gateway.client.post("/api/agents/main/sandboxes", Map.of("type", "e2b", "alias", "cloud"));
        gateway.client.post("/api/agents/main/sandboxes/cloud/start", Map.of());
        logIn("/sandboxes");
        page.row("cloud").getByRole(AriaRole.BUTTON, in("Remove")).click();
        page.confirm("Remove");
        page.sees(page.row("main/cloud"));
        page.row("main/cloud").getByRole(AriaRole.BUTTON, in("Reclaim")).click();
        page.confirm("Reclaim");
        page.sees("Nothing is left over");
        assertThat(gateway.e2b.destroyed).hasValue(1);
    }
}
