package hermit.http;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jetty.util.HostPort;
import org.jspecify.annotations.Nullable;

/// The names that the server may be called by. A page of another site whose name was made to point here (DNS rebinding)
/// is told by its `Host`.
final class Hosts {
    private final Set<String> names = new TreeSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));

    Hosts(HttpSettings settings) {
        names.add(name(settings.host()));
        settings.allowedHosts().forEach(each -> names.add(name(each)));
    }

    /// `host`: the header, with or without a port.
    boolean allows(@Nullable String host) {
        if (host == null || host.isBlank()) return false;
        try {
            return names.contains(name(new HostPort(host).getHost()));
        } catch (IllegalArgumentException e) {
            return false; // no host at all
        }
    }

    private static String name(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.indexOf(':') >= 0 && !lower.startsWith("[") ? "[" + lower + "]" : lower;
    }
}
