package hermit.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Stream;

/// This machine's Chromium, driven from outside. The program that drives it comes with the UI's other packages, so that
/// neither a browser nor a further copy of Node is fetched.
public final class TestBrowser implements AutoCloseable {
    static final Path UI = Path.of("..", "admin-ui").toAbsolutePath().normalize();
    /// Both are waited for, not measured: they are for machines that do much else.
    private static final double PATIENCE_MILLIS = 15_000;

    /// The library looks for its driver once in its life.
    private static final Path DRIVER = driver();

    private final Playwright playwright;
    private final Browser browser;

    public TestBrowser() {
        if (UiFiles.ofTheBuild().page().isEmpty())
            throw new IllegalStateException(
                    "This build has no UI, so there is nothing to look at: build without -Dui.skip");
        System.setProperty("playwright.cli.dir", DRIVER.toString());
        var environment = new HashMap<>(System.getenv());
        environment.put("PLAYWRIGHT_NODEJS_PATH", program("node").toString());
        environment.put("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
        playwright = Playwright.create(new Playwright.CreateOptions().setEnv(environment));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(program("chromium"))
                        // Tests run as root, too, where Chromium's own sandbox cannot be had; /dev/shm is small in
                        // containers.
                        .setArgs(List.of("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")));
    }

    /// A page of somebody who has not been here before.
    public TestPage page(int port) {
        return page(port, ColorScheme.LIGHT, 1280, 800);
    }

    public TestPage page(int port, ColorScheme scheme, int width, int height) {
        var context = browser.newContext(new Browser.NewContextOptions()
                .setBaseURL("http://127.0.0.1:" + port)
                .setViewportSize(width, height)
                .setColorScheme(scheme)
                .setLocale("en-GB")
                .setPermissions(List.of("clipboard-read", "clipboard-write")));
        context.setDefaultTimeout(PATIENCE_MILLIS);
        return new TestPage(context);
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }

    /// As the library wants to find it: in a folder `package`.
    private static Path driver() {
        try {
            Path folder = Files.createTempDirectory("hermit-browser");
            folder.toFile().deleteOnExit();
            Path link = Files.createSymbolicLink(folder.resolve("package"), UI.resolve("node_modules/playwright-core"));
            link.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path program(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no " + name + " on the PATH"));
    }
}
