package hermit.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/// One tab, as whoever sits before it uses it: by what things are called.
public final class TestPage implements AutoCloseable {
    private static final String AXE = axe();
    private static final double PATIENCE_MILLIS = 15_000;

    private final BrowserContext context;
    private final Page page;
    /// What the page itself finds wrong: scripts that fail, and what its own policy refuses.
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    TestPage(BrowserContext context) {
        this.context = context;
        page = context.newPage();
        page.onPageError(complaints::add);
        page.onConsoleMessage(message -> {
            // An answer that is no success is written there by the browser, whatever the page makes of it.
            if (message.type().equals("error") && !message.text().startsWith("Failed to load resource"))
                complaints.add(message.text());
        });
    }

    public Page page() {
        return page;
    }

    public TestPage open(String path) {
        page.navigate(path);
        return this;
    }

    /// Opens a page as somebody who logs in there.
    public TestPage logIn(String token, String path) {
        open(path);
        field("Token").fill(token);
        click("Log in");
        sees(page.getByRole(AriaRole.NAVIGATION, new Page.GetByRoleOptions().setName("Main")));
        return this;
    }

    public Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    public void click(String button) {
        button(button).first().click();
    }

    public Locator link(String name) {
        return page.getByRole(
                AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    public void tab(String name) {
        page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName(name).setExact(true))
                .click();
    }

    /// By its label.
    public Locator field(String label) {
        return page.getByRole(AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName(label))
                .or(page.getByLabel(label, new Page.GetByLabelOptions().setExact(true)))
                .first();
    }

    public void fill(String label, String text) {
        field(label).fill(text);
    }

    public void choose(String label, String value) {
        page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName(label))
                .first()
                .selectOption(value);
    }

    /// A line of a table that has this text.
    public Locator row(String text) {
        return page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText(text));
    }

    public Locator dialog() {
        return page.getByRole(AriaRole.DIALOG);
    }

    /// Answers the question that is asked before something that cannot be undone.
    public void confirm(String verb) {
        dialog().getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(verb).setExact(true))
                .click();
    }

    public void sees(String text) {
        sees(page.getByText(text).first());
    }

    public void sees(Locator what) {
        assertThat(what.first()).isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(PATIENCE_MILLIS));
    }

    public void seesNot(Locator what) {
        assertThat(what).hasCount(0, new LocatorAssertions.HasCountOptions().setTimeout(PATIENCE_MILLIS));
    }

    public void has(Locator what, String text) {
        assertThat(what).containsText(text, new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MILLIS));
    }

    /// Neither scripts nor the page's own policy have found anything wrong until now.
    public void isContent() {
        assertThat(complaints).isEmpty();
    }

    /// What the examiner of accessibility finds here that is serious or worse, as `rule: element`.
    @SuppressWarnings("unchecked")
    public List<String> barriers() {
        page.evaluate(AXE);
        var found = (List<Map<String, Object>>) page.evaluate("""
                () => axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations
                    .filter(each => each.impact === 'serious' || each.impact === 'critical')
                    .flatMap(each => each.nodes.map(node => ({rule: each.id, html: node.html}))))
                """);
        return found.stream()
                .map(each -> each.get("rule") + ": " + each.get("html"))
                .toList();
    }

    @Override
    public void close() {
        context.close();
    }

    private static String axe() {
        try {
            return Files.readString(TestBrowser.UI.resolve("node_modules/axe-core/axe.min.js"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
