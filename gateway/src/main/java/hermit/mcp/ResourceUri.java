package hermit.mcp;

import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;

/// Names a file of a sandbox for MCP clients, as in `sandbox://default/root/notes.txt`: the alias, and then the
/// absolute path, percent-encoded.
public record ResourceUri(Alias alias, String path) {
    /// Of all of them, in the words of RFC 6570.
    public static final String TEMPLATE = "sandbox://{alias}/{+path}";

    private static final String SCHEME = "sandbox";

    public ResourceUri {
        if (!path.startsWith("/")) throw new IllegalArgumentException("not absolute: " + path);
    }

    /// Throws [Invalid] for what names no file of any sandbox.
    public static ResourceUri parse(String text) {
        try {
            var uri = new URI(text);
            String host = uri.getRawAuthority();
            String path = uri.getPath();
            boolean whole = SCHEME.equals(uri.getScheme())
                    && host != null
                    && path != null
                    && path.startsWith("/")
                    && path.indexOf('\0') < 0
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && Alias.PATTERN.matcher(host).matches();
            if (whole) return new ResourceUri(new Alias(host), path);
        } catch (URISyntaxException e) {
            throw new Invalid("uri", "is not a URI: " + e.getReason());
        }
        throw new Invalid("uri", "must be of the form " + TEMPLATE);
    }

    /// Exactly this path: `URI` would write it in Unicode's composed form, which names another file.
    @Override
    public String toString() {
        var text = new StringBuilder(SCHEME).append("://").append(alias);
        for (byte each : path.getBytes(StandardCharsets.UTF_8)) {
            int c = each & 0xFF;
            if (isPlain(c)) text.append((char) c);
            else text.append("%%%02X".formatted(c));
        }
        return text.toString();
    }

    /// Whether it stands for itself in a path (RFC 3986, 3.3).
    private static boolean isPlain(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "/-._~!$&'()*+,;=:@".indexOf(c) >= 0;
    }
}
