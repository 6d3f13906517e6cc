package hermit.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What the admin does in the pages, against a gateway whose machines are in memory.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class AdminPagesTest {
    private final TestBrowser browser = new TestBrowser();
    private TestGateway gateway = new TestGateway();
    private TestPage page = browser.page(gateway.port());

    @BeforeEach
    void open() {
        page.close();
        gateway.close();
        gateway = new TestGateway();
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
    void a_wrong_token_is_refused_and_the_right_one_leads_to_where_one_wanted_to_go() {
        page.open("/system");
        page.fill("Token", "hat_wrong");
        page.click("Log in");
        page.sees("The token is not valid");
        page.fill("Token", TestClient.TOKEN);
        page.click("Log in");
        page.sees(page.page().getByRole(AriaRole.HEADING, heading("System")));
        assertThat(page.page().url()).endsWith("/system");
        assertThat(page.page().evaluate("() => document.cookie + JSON.stringify(localStorage)"))
                .asString()
                .doesNotContain("hermit_login", "hat_", "hlt_");
        page.page().reload();
        page.sees(page.page().getByRole(AriaRole.HEADING, heading("System")));
        page.click("admin");
        page.page()
                .getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName("Log out"))
                .click();
        page.sees(page.button("Log in"));
    }

    @Test
    void the_dialog_offers_the_presets_with_the_default_chosen_and_shows_mistakes_at_their_fields() {
        logIn("/agents");
        page.sees("No agents yet");
        page.click("Create agent");
        var preset = page.page().getByLabel("Sandbox");
        assertThat(preset.inputValue()).isEqualTo("docker-ubuntu");
        assertThat(preset.locator("option").allTextContents())
                .containsExactly("docker-ubuntu (docker), the default", "e2b-default (e2b)", "no sandbox");
        page.fill("Id", "Not An Id");
        page.confirm("Create");
        page.has(page.dialog(), "is not allowed");
        assertThat(page.field("Id").getAttribute("aria-invalid")).isEqualTo("true");
        page.fill("Id", "main");
        page.fill("Name", "The <b>main</b> one");
        page.choose("Access", "protected");
        page.fill("Access token", "correct horse battery staple");
        page.confirm("Create");
        page.sees(page.page().getByRole(AriaRole.HEADING, heading("The <b>main</b> one")));
        page.sees(page.row("default"));
        assertThat(gateway.client.get("/api/agents/main/security").object())
                .containsEntry("access", "protected")
                .containsEntry("access_token_set", true);
    }

    @Test
    void an_agent_without_a_sandbox_gets_one_by_a_preset_or_a_config() {
        logIn("/agents");
        page.click("Create agent");
        page.fill("Id", "bare");
        page.page().getByLabel("Sandbox").selectOption("no sandbox");
        page.confirm("Create");
        page.sees("No sandbox");
        page.click("Add sandbox");
        page.choose("Made from", "type docker");
        page.fill("Config", "{\"image\": \"debian:13\", \"memory_limit\": \"lots\"}");
        page.confirm("Add");
        page.has(page.dialog(), "config.memory_limit must be an amount");
        page.fill("Config", "{\"image\": \"debian:13\", \"lifecycle\": {\"idle_timeout_minutes\": 30}}");
        page.fill("Alias", "tools");
        page.confirm("Add");
        page.row("tools").getByRole(AriaRole.LINK, in("tools")).click();
        page.has(page.page().locator("dl.facts").nth(1), "30 minsandbox");
        page.has(page.page().locator("dl.facts").nth(1), "ondemanddefault");
    }

    @Test
    void sandboxes_of_all_agents_are_seen_stopped_together_and_repaired() {
        for (String id : List.of("ada", "bob")) gateway.client.post("/api/agents", Map.of("id", id));
        gateway.client.post("/api/agents/ada/sandboxes", Map.of("type", "e2b", "alias", "cloud"));
        gateway.client.post("/api/agents/ada/sandboxes/default/start", Map.of());
        logIn("/sandboxes");
        page.has(page.row("ada").filter(text("default")), "provisioned");
        page.has(page.row("ada").filter(text("default")), "running");
        page.has(page.row("bob"), "pending");
        page.has(page.row("cloud").locator("td").nth(5), "—");

        page.row("bob").getByRole(AriaRole.BUTTON, in("Start")).click();
        page.has(page.row("bob"), "running");
        page.page().getByLabel("Select all that are shown").check();
        page.click("Stop selected");
        page.confirm("Stop them");
        page.sees("2 stopped");
        page.has(page.row("bob"), "stopped");

        page.fill("Filter by agent, alias or machine", "cloud");
        page.seesNot(page.row("bob"));
        assertThat(page.page().url()).endsWith("?q=cloud");
        page.row("cloud").getByRole(AriaRole.BUTTON, in("Remove")).click();
        page.confirm("Remove");
        page.sees("Nothing matches");
    }

    @Test
    void the_policy_is_edited_in_fields_and_as_json() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        logIn("/agents/main/security");
        page.choose("Autonomy", "supervised");
        page.page().getByLabel("write_file").check();
        page.click("Save policy");
        page.sees("The policy is in force");
        assertThat(gateway.client.get("/api/agents/main/security").text())
                .contains("\"require_approval_for\":[\"exec\",\"write_file\"]");
        page.page()
                .getByText("JSON", new Page.GetByTextOptions().setExact(true))
                .click();
        page.fill("Policy", "{\"access\": \"open\"}");
        page.click("Save policy");
        page.sees("access 'open' is not one of");
        page.fill("Policy", "{\"access\": \"public\", \"autonomy_level\": \"full\", \"require_approval_for\": []}");
        page.click("Save policy");
        page.sees(page.page().getByText("The policy is in force").nth(1));
        assertThat(gateway.client.get("/api/agents/main/security").object()).containsEntry("access", "public");
    }

    @Test
    void the_config_is_one_document_that_nobody_else_has_changed_meanwhile() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        logIn("/agents/main/config");
        page.choose("Machines stop", "session");
        assertThat(page.field("The whole config").inputValue()).contains("\"stop\": \"session\"");
        page.click("Save config");
        page.sees("The config is saved");
        page.open("/agents/main/config");
        page.sees(page.field("The whole config"));
        gateway.client.put("/api/agents/main/config", Map.of());
        page.fill("The whole config", "{\"exec\": {\"lifecycle\": {\"start\": \"session\"}}}");
        page.click("Save config");
        page.sees("has been changed since");
        page.click("Show what is there now, instead of mine");
        assertThat(page.field("The whole config").inputValue()).isEqualTo("{}");
        assertThat(gateway.client.get("/api/agents/main/config").text()).isEqualTo("{}");
    }

    @Test
    void people_get_tokens_that_are_shown_once_and_agents_get_members() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        logIn("/people");
        page.click("Make person");
        page.fill("Name", "Ada");
        page.confirm("Make");
        page.row("Ada").getByRole(AriaRole.BUTTON, in("Make token")).click();
        page.dialog().getByLabel("Name").fill("laptop");
        page.confirm("Make");
        String secret = page.page().getByTestId("secret").textContent();
        assertThat(secret).startsWith("hut_");
        page.confirm("I have kept it");
        page.open("/tokens");
        page.has(page.row("laptop"), secret.substring(secret.length() - 4));
        assertThat(page.page().content()).doesNotContain(secret);

        page.open("/agents/main/members");
        page.click("Add member");
        page.dialog().getByLabel("Person").selectOption(id(page.dialog(), "Ada · …"));
        page.dialog().getByLabel("Role").selectOption("owner");
        page.confirm("Add");
        page.sees(page.row("Ada"));
        assertThat(gateway.client.as(secret).get("/api/agents/main/me").object())
                .containsEntry("role", "owner");

        page.open("/tokens");
        page.row("laptop").getByRole(AriaRole.BUTTON, in("Revoke")).click();
        page.confirm("Revoke");
        page.seesNot(page.row("laptop"));
        assertThat(gateway.client.as(secret).get("/api/me").status()).isEqualTo(401);
    }

    @Test
    void members_change_their_roles_and_leave_and_two_who_are_one_person_are_merged() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        var ada = new People(gateway).member("main", "user");
        logIn("/agents/main/members");
        page.row("user of main").getByRole(AriaRole.COMBOBOX).selectOption("guest");
        page.sees("is guest now");
        assertThat(ada.client().get("/api/agents/main/me").object()).containsEntry("role", "guest");
        page.row("user of main").getByRole(AriaRole.BUTTON, in("Remove")).click();
        page.confirm("Remove");
        page.sees("No members");
        assertThat(ada.client().get("/api/agents/main/me").status()).isEqualTo(404);

        gateway.client.post("/api/users", Map.of("name", "Ada on the phone"));
        page.open("/people");
        page.row("Ada on the phone").getByRole(AriaRole.BUTTON, in("Merge")).click();
        page.dialog().getByLabel("Into").selectOption(ada.id());
        page.confirm("Merge");
        page.sees("They are one person now");
        page.seesNot(page.row("Ada on the phone"));
    }

    @Test
    void the_audit_is_narrowed_verified_and_exported() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        gateway.client.delete("/api/agents/main");
        logIn("/audit");
        page.sees(page.row("agents.delete"));
        page.sees(page.row("auth.login"));
        page.fill("Action", "agents.create");
        page.field("Action").press("Enter");
        page.seesNot(page.row("agents.delete"));
        page.sees(page.row("agents.create"));
        page.click("Verify the chains");
        page.sees("intact");
        var export =
                page.page().waitForDownload(() -> page.link("Export everything").click());
        assertThat(export.suggestedFilename()).isEqualTo("audit.ndjson");
    }

    @Test
    @Timeout(300) // each of them is examined as a whole, twice
    void every_page_can_be_used_by_everybody_in_both_colours_and_on_a_narrow_screen() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        gateway.client.post("/api/users", Map.of("name", "Ada"));
        gateway.client.post("/api/agents/main/sandboxes/default/start", Map.of());
        var program = new People(gateway).program("main").client();
        String session = program.post("/api/agents/main/sessions", Map.of()).header("Location");
        program.post(session + "/tools/exec", Map.of("command", "find /srv/cache -mtime +30 -print -delete"));
        String terminal = String.valueOf(gateway.client
                .post("/api/agents/main/sandboxes/default/terminals", Map.of("cols", 80, "rows", 24))
                .object()
                .get("id"));
        var everywhere = Stream.concat(
                        EVERYWHERE.stream(),
                        Stream.of(
                                session.substring("/api".length()),
                                "/agents/main/sandboxes/default/terminals/" + terminal))
                .toList();
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK))
            try (var tab = browser.page(gateway.port(), scheme, scheme == ColorScheme.DARK ? 390 : 1280, 800)) {
                tab.open("/");
                tab.sees(tab.button("Log in"));
                assertThat(tab.barriers()).isEmpty();
                tab.fill("Token", TestClient.TOKEN);
                tab.click("Log in");
                tab.sees(tab.page().getByRole(AriaRole.HEADING, heading("Agents")));
                for (String path : everywhere) {
                    tab.open(path);
                    tab.sees(tab.page().getByRole(AriaRole.HEADING).first());
                    tab.seesNot(tab.page().getByLabel("Loading"));
                    assertThat(tab.barriers()).as(path + " " + scheme).isEmpty();
                    assertThat(tab.page().evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
                            .as(path + " is no wider than the screen")
                            .isEqualTo(true);
                }
                tab.open("/people");
                for (String dialog : List.of("Make person", "Make token", "Add identity", "Merge", "Delete")) {
                    tab.click(dialog);
                    tab.sees(tab.dialog());
                    assertThat(tab.barriers()).as(dialog + " " + scheme).isEmpty();
                    tab.page().keyboard().press("Escape");
                    tab.seesNot(tab.dialog());
                }
                tab.isContent();
            }
    }

    private static final List<String> EVERYWHERE = List.of(
            "/agents",
            "/agents/main",
            "/agents/main/sessions",
            "/agents/main/approvals",
            "/agents/main/members",
            "/agents/main/security",
            "/agents/main/config",
            "/agents/main/skills",
            "/agents/main/audit",
            "/agents/main/sandboxes/default",
            "/agents/main/sandboxes/default/commands",
            "/agents/main/sandboxes/default/files",
            "/agents/main/sandboxes/default/terminals",
            "/sandboxes",
            "/approvals",
            "/approvals/rules",
            "/people",
            "/tokens",
            "/skills",
            "/audit",
            "/system");

    @Test
    void the_keyboard_is_enough_to_make_an_agent() {
        logIn("/agents");
        page.button("Create agent").focus();
        page.page().keyboard().press("Enter");
        // Where one would type.
        PlaywrightAssertions.assertThat(page.field("Id")).isFocused();
        page.page().keyboard().type("typed");
        page.page().keyboard().press("Enter");
        page.sees(page.page().getByRole(AriaRole.HEADING, heading("typed")));
        page.open("/agents");
        page.sees(page.row("typed"));
        page.click("Create agent");
        page.sees(page.dialog());
        page.page().keyboard().press("Escape");
        page.seesNot(page.dialog());
    }

    /// What stands for somebody in a list of people, whose label begins like this.
    static String id(Locator dialog, String label) {
        return dialog.locator("option").filter(text(label)).getAttribute("value");
    }

    static Page.GetByRoleOptions heading(String name) {
        return new Page.GetByRoleOptions().setName(name).setExact(true);
    }

    static Locator.GetByRoleOptions in(String name) {
        return new Locator.GetByRoleOptions().setName(name).setExact(true);
    }

    static Locator.FilterOptions text(String text) {
        return new Locator.FilterOptions().setHasText(text);
    }
}
