package hermit.mcp;

import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import java.net.URI;
import java.net.URISyntaxException;

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

    @Override
    public String toString() {
        try {
            return new URI(SCHEME, alias.value(), path, null, null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("every path can be part of a URI", e);
        }
    }
}
