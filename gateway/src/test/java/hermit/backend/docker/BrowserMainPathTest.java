package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import hermit.Gateway;
import hermit.config.GatewayConfig;
import hermit.http.TestClient;
import hermit.ui.TestBrowser;
import hermit.ui.TestPage;
import hermit.world.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The whole way of an owner through the pages, with a gateway and an engine that are real, and a restart
/// of the gateway under an open page.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(240)
class BrowserMainPathTest {
    private final TestDocker docker = new TestDocker();
    private final Path home = docker.scratch.resolve("home");
    private final TestBrowser browser = new TestBrowser();
    private int port;
    private Gateway gateway;

    @BeforeEach
    void a_gateway() throws Exception {
        Files.createDirectory(home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        write("instance-id", docker.instance.toString());
        gateway = start();
        port = gateway.port();
    }

    @AfterEach
    void close() throws Exception {
        browser.close();
        gateway.close();
        docker.close();
    }

    private Gateway start() throws Exception {
        write("gateway.json", """
                {
                  "server": {"port": %d},
                  "docker": {"pull_policy": "never", "network": "none"},
                  "sandboxPresets": {"dev": {"type": "docker", "config": {"image": "%s", "memory_limit": "256m"}}},
                  "autoProvisionSandbox": "dev"
                }
                """.formatted(port, TestDocker.image()));
        return Gateway.open(
                GatewayConfig.load(home, Map.of("HERMIT_ADMIN_TOKEN", TestClient.TOKEN)),
                new World(Clock.systemUTC(), new SecureRandom(), Thread::sleep));
    }

    /// Under an open page, which must see both: what it shows right after would else be what it was before.
    private void restart(TestPage page) throws Exception {
        gateway.close();
        page.sees("coming back");
        gateway = start();
    }

    private void write(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }

    @Test
    void from_the_login_over_a_terminal_and_an_approval_to_the_audit() throws Exception {
        try (var client = new TestClient(port);
                var page = browser.page(port).logIn(TestClient.TOKEN, "/")) {
            page.click("Create agent");
            page.fill("Id", "main");
            page.confirm("Create");
            page.has(page.row("default"), "pending");

            page.row("default")
                    .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("Terminal"))
                    .click();
            page.sees("connected");
            type(page, "echo $((6*7)) > answer; cat answer; stty size\n");
            page.has(screen(page), "42");

            restart(page);
            page.sees(page.page().getByText("connected", new Page.GetByTextOptions().setExact(true)));
            type(page, "echo still $((40+3))\n");
            page.has(screen(page), "still 43");
            // What was shown before the restart is neither lost nor shown twice.
            assertThat(screen(page).textContent().split("cat answer; stty", -1)).hasSize(2);
            type(page, "exit 3\n");
            page.sees("ended: exited, code 3");

            String session = client.post("/api/agents/main/sessions", Map.of()).header("Location");
            page.page().navigate(session.substring("/api".length()));
            page.sees("live");
            restart(page);
            page.sees("live");
            client.post(session + "/tools/exec", Map.of("command", "cat answer; id -un"));
            page.has(page.page().getByTestId("command"), "cat answer; id -un");
            page.click("Approve");
            page.has(page.page().getByLabel("Standard output"), "42");

            page.open("/agents/main/audit");
            page.has(page.row("approvals.decision"), "approved");
            page.sees(page.row("terminals.create"));
            page.open("/agents/main");
            page.has(page.row("default"), "running");
            page.click("Delete agent");
            page.confirm("Delete agent");
            page.sees("No agents yet");
            assertThat(client.get("/api/agents/main").status()).isEqualTo(404);
            page.open("/audit");
            page.sees(page.row("agents.delete"));
            page.isContent();
        }
    }

    private static Locator screen(TestPage page) {
        return page.page().getByTestId("terminal");
    }

    private static void type(TestPage page, String text) {
        page.page().locator(".xterm-helper-textarea").focus();
        page.page().keyboard().type(text);
    }
}
