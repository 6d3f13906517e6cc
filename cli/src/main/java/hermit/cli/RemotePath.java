package hermit.cli;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file in a sandbox, as the command line names it: `ALIAS:PATH`.
record RemotePath(String alias, String path) {
    private static final Pattern FORM = Pattern.compile("([a-z0-9][a-z0-9-]{0,62}):(.*)", Pattern.DOTALL);

    /// Empty for a local file. One with such a name is written `./a:b`.
    static Optional<RemotePath> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) return Optional.empty();
        // No path is the agent home.
        return Optional.of(new RemotePath(form.group(1), form.group(2).isEmpty() ? "." : form.group(2)));
    }

    /// Whether it is written as that of a directory.
    boolean namesDirectory() {
        return path.endsWith("/") || path.equals(".") || path.endsWith("/.");
    }

    RemotePath child(String name) {
        return new RemotePath(alias, path.endsWith("/") ? path + name : path + "/" + name);
    }

    @Override
    public String toString() {
        return alias + ":" + path;
    }
}
