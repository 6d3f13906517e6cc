package hermit.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.AriaRole;
import hermit.TestGateway;
import hermit.http.TestClient;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(180)
class ManySandboxesTest {
    private static final int AGENTS = 200;

    @Test
    void a_thousand_sandboxes_are_one_table_of_which_only_what_is_seen_is_made() {
        try (var browser = new TestBrowser();
                var gateway = new TestGateway()) {
            for (int i = 0; i < AGENTS; i++) {
                String agent = "agent-%03d".formatted(i);
                gateway.client.post("/api/agents", Map.of("id", agent));
                for (int j = 1; j < 5; j++)
                    gateway.client.post(
                            "/api/agents/" + agent + "/sandboxes", Map.of("type", "docker", "alias", "box-" + j));
            }
            var page = browser.page(gateway.port()).logIn(TestClient.TOKEN, "/sandboxes");
            page.sees("1000 of 1000");
            assertThat(page.page().getByRole(AriaRole.ROW).count()).isLessThan(80);

            page.page().getByLabel("Sandboxes").first().evaluate("each => { each.scrollTop = each.scrollHeight; }");
            page.sees(page.row("agent-199"));
            // Readers are told which of all rows each is.
            assertThat(page.page().getByRole(AriaRole.ROW).last().getAttribute("aria-rowindex"))
                    .isEqualTo("1001");
            page.click("Agent ↑");
            page.page().getByLabel("Sandboxes").first().evaluate("each => { each.scrollTop = 0; }");
            page.has(page.page().getByRole(AriaRole.ROW).nth(1), "agent-199");
            page.fill("Filter by agent, alias or machine", "agent-042");
            page.sees("5 of 1000");
            page.page().getByLabel("Select all that are shown").check();
            page.sees("5 selected");
            page.isContent();
            page.close();
        }
    }
}
