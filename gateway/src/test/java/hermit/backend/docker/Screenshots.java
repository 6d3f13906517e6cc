package hermit.backend.docker;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotAnimations;
import hermit.Gateway;
import hermit.config.GatewayConfig;
import hermit.http.TestClient;
import hermit.ui.TestBrowser;
import hermit.ui.TestPage;
import hermit.world.World;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/// Takes the pictures of the documentation, from a gateway with a real engine and a little work in it. Not a test:
/// run by hand, with the folder as the one argument.
public final class Screenshots {
    private static final String CLEANUP = "find /srv/cache -mtime +30 -print -delete";

    private final Path folder;
    private final TestBrowser browser;
    private final int port;
    private final TestClient client;

    private Screenshots(Path folder, TestBrowser browser, int port, TestClient client) {
        this.folder = folder;
        this.browser = browser;
        this.port = port;
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        var docker = new TestDocker();
        try {
            Path home = docker.scratch.resolve("home");
            var secret = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            Files.createDirectory(home, secret);
            Files.writeString(home.resolve("instance-id"), docker.instance.toString());
            Files.writeString(home.resolve("gateway.json"), """
                    {
                      "server": {"port": 0},
                      "docker": {"pull_policy": "never", "network": "none"},
                      "sandboxPresets": {
                        "debian": {"type": "docker", "config": {"image": "%1$s", "memory_limit": "512m"}},
                        "debian-small": {"type": "docker", "config": {"image": "%1$s", "memory_limit": "128m", "cpus": 1}},
                        "e2b-default": {"type": "e2b", "config": {"template": "base"}}
                      },
                      "autoProvisionSandbox": "debian"
                    }
                    """.formatted(TestDocker.image()));
            var config = GatewayConfig.load(home, Map.of("HERMIT_ADMIN_TOKEN", TestClient.TOKEN));
            var world = new World(Clock.systemUTC(), new SecureRandom(), Thread::sleep);
            try (var gateway = Gateway.open(config, world);
                    var client = new TestClient(gateway.port());
                    var browser = new TestBrowser()) {
                new Screenshots(Path.of(arguments[0]), browser, gateway.port(), client).take();
            }
        } finally {
            docker.close();
        }
    }

    private void take() {
        fill();
        String session = conversation();
        try (var page = browser.page(port, ColorScheme.LIGHT, 1280, 760).logIn(TestClient.TOKEN, "/sandboxes")) {
            page.sees(page.row("research"));
            page.has(page.row("crawler").first(), "running");
            take(page, "sandboxes");
            page.open("/agents");
            page.sees(page.row("research"));
            page.click("Create agent");
            page.fill("Id", "reviewer");
            page.fill("Name", "Reviewer");
            take(page, "create-agent");
            page.open("/agents/research/security");
            page.sees(page.button("Save policy"));
            take(page, "security");
            page.open("/agents/research/sandboxes/default/files");
            page.sees(page.row("report.md"));
            take(page, "files");
            page.open("/agents/research/sandboxes/default/commands");
            page.page()
                    .getByRole(AriaRole.BUTTON)
                    .filter(new Locator.FilterOptions().setHasText("uname"))
                    .click();
            page.sees(page.page().getByLabel("Standard output"));
            take(page, "commands");
            page.open("/agents/research/sandboxes/default/terminals/new");
            page.click("Start the machine and open a terminal");
            page.sees("connected");
            page.page().keyboard().type("ls -la --color=always && df -h / && id\n");
            page.has(page.page().getByTestId("terminal"), "uid=0");
            take(page, "terminal");
            page.open("/audit");
            page.sees(page.row("agents.create"));
            take(page, "audit");
        }
        try (var page = browser.page(port, ColorScheme.DARK, 1280, 760).logIn(TestClient.TOKEN, "/approvals")) {
            page.sees(page.page().getByTestId("command"));
            page.page().getByLabel("always").check();
            take(page, "approvals-dark");
            page.open(session.substring("/api".length()));
            page.sees("Which of the cached");
            page.sees(page.button("Approve"));
            take(page, "session-dark");
            page.open("/system");
            page.sees("Commands per minute");
            for (int i = 0; i < 12; i++) {
                for (int j = 0; j <= i % 4; j++) exec("research", "true");
                page.page().waitForTimeout(1_500);
            }
            take(page, "system-dark");
        }
        try (var page = browser.page(port, ColorScheme.LIGHT, 390, 760).logIn(TestClient.TOKEN, "/approvals")) {
            page.sees(page.page().getByTestId("command"));
            take(page, "approvals-narrow");
        }
    }

    private void fill() {
        for (var each : List.of(
                Map.of("id", "research", "name", "Research"),
                Map.of("id", "crawler", "name", "Crawler", "sandbox", "debian-small"),
                Map.of("id", "nightly", "name", "Nightly build"))) client.post("/api/agents", each);
        client.post("/api/agents/research/sandboxes", Map.of("preset", "debian-small", "alias", "tools"));
        client.post("/api/agents/nightly/sandboxes", Map.of("preset", "e2b-default", "alias", "cloud"));
        for (String each : List.of("research", "crawler")) exec(each, "true");
        client.post("/api/agents/research/sandboxes/tools/start", Map.of());
        client.post("/api/agents/research/sandboxes/tools/stop", Map.of());
        exec("research", "mkdir -p data notes src; uname -a; nproc; free -m");
        exec("research", "grep -rn TODO src");
        exec("research", "sh -c 'echo partial; kill -9 $$'");
        for (String name : List.of("report.md", "notes/ideas.txt", "data/sample.csv"))
            client.send(client.request("/api/agents/research/sandboxes/default/files?path=" + name)
                    .PUT(BodyPublishers.ofString("name,value\n".repeat(name.length() * 40))));
        for (String name : List.of("Ada Lovelace", "Grace Hopper")) client.post("/api/users", Map.of("name", name));
    }

    private String conversation() {
        String session = client.post("/api/agents/research/sessions", Map.of("source", Map.of("kind", "cli")))
                .header("Location");
        client.put(
                "/api/agents/research/security",
                Map.of("access", "private", "autonomy_level", "full", "require_approval_for", List.of()));
        client.post(session + "/messages", Map.of("text", "Which of the cached downloads can go?"));
        client.post(session + "/tools/exec", Map.of("command", "du -sh /usr/* | sort -h | tail -5"));
        client.put(
                "/api/agents/research/security",
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec")));
        client.post(session + "/messages", Map.of("text", "Delete what is older than a month."));
        client.post(session + "/tools/exec", Map.of("command", CLEANUP));
        return session;
    }

    private void exec(String agent, String command) {
        client.post("/api/agents/" + agent + "/sandboxes/default/execs", Map.of("command", command));
    }

    private void take(TestPage page, String name) {
        page.seesNot(page.page().getByLabel("Loading"));
        page.isContent();
        page.page()
                .screenshot(new Page.ScreenshotOptions()
                        .setPath(folder.resolve(name + ".png"))
                        // What is on its way somewhere is shown where it will be.
                        .setAnimations(ScreenshotAnimations.DISABLED));
    }
}
