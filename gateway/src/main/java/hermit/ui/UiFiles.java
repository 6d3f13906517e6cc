package hermit.ui;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/// The files of the web UI, as the build has put them into the jar: one page, and assets whose names change with what
/// is in them. Browsers ask for each once, so nothing is kept in memory but the page and the names.
public final class UiFiles {
    /// In which an asset is sent.
    enum Form {
        BROTLI("br", ".br"),
        GZIP("gzip", ".gz"),
        PLAIN("identity", "");

        final String coding;
        private final String suffix;

        Form(String coding, String suffix) {
            this.coding = coding;
            this.suffix = suffix;
        }
    }

    private final String folder;
    private final Optional<String> page;
    private final Set<String> assets;

    private UiFiles(String folder) {
        this.folder = folder;
        page = text("/index.html");
        assets = Set.copyOf(text("/assets.txt").orElse("").lines().toList());
    }

    /// Those of this build, which has none if it was told to leave the UI out.
    public static UiFiles ofTheBuild() {
        return in("/ui");
    }

    static UiFiles in(String folder) {
        return new UiFiles(folder);
    }

    /// The HTML of the one page; empty where the build has left the UI out.
    Optional<String> page() {
        return page;
    }

    /// Empty for a name that the build did not list.
    Optional<byte[]> asset(String name, Form form) {
        return assets.contains(name) ? bytes("/assets/" + name + form.suffix) : Optional.empty();
    }

    private Optional<String> text(String name) {
        return bytes(name).map(each -> new String(each, StandardCharsets.UTF_8));
    }

    private Optional<byte[]> bytes(String name) {
        try (InputStream in = UiFiles.class.getResourceAsStream(folder + name)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
