package hermit.config;

import hermit.problem.Fields;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// What addresses in the configuration may look like. Nothing here asks the network: a name is judged by its
/// letters.
final class Addresses {
    private static final Pattern HOST_NAME = Pattern.compile(
            "(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*");
    private static final Pattern ONLY_DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final Pattern PREFIX_LENGTH = Pattern.compile("[0-9]{1,3}");
    private static final Set<String> WEB = Set.of("http", "https");

    private Addresses() {}

    /// A host name or an IP address (an IPv6 one without brackets).
    static boolean isHost(String text) {
        if (isIpAddress(text)) return true;
        return HOST_NAME.matcher(text).matches()
                && !ONLY_DIGITS_AND_DOTS.matcher(text).matches();
    }

    /// Whether only this machine itself can connect to a server that listens there.
    static boolean isLoopback(String host) {
        if (host.equalsIgnoreCase("localhost")) return true;
        return isIpAddress(host) && InetAddress.ofLiteral(host).isLoopbackAddress();
    }

    static boolean isIpAddress(String text) {
        try {
            InetAddress.ofLiteral(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /// `10.1.2.3`, `10.0.0.0/8` and their IPv6 brothers.
    static boolean isNetwork(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) return isIpAddress(text);
        String address = text.substring(0, slash);
        String prefix = text.substring(slash + 1);
        if (!isIpAddress(address) || !PREFIX_LENGTH.matcher(prefix).matches()) return false;
        int bits = InetAddress.ofLiteral(address).getAddress().length * 8;
        return Integer.parseInt(prefix) <= bits;
    }

    /// Scheme, host and port of a web page, as browsers send it in `Origin`: no path, lower case.
    static boolean isOrigin(String text) {
        return url(text, WEB)
                .filter(url -> url.getRawPath().isEmpty() && url.getRawQuery() == null && url.getRawFragment() == null)
                .filter(url -> url.getRawUserInfo() == null
                        && text.equals(url.toString().toLowerCase(Locale.ROOT)))
                .isPresent();
    }

    /// A web address that a client may be pointed at. Credentials do not belong into it: addresses are shown.
    static Optional<URI> web(String text) {
        return url(text, WEB).filter(url -> url.getRawUserInfo() == null && url.getRawFragment() == null);
    }

    private static Optional<URI> url(String text, Set<String> schemes) {
        try {
            var url = new URI(text);
            boolean fits = url.getScheme() != null && schemes.contains(url.getScheme()) && url.getHost() != null;
            return fits ? Optional.of(url) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /// A list whose every entry fits; the entries that do not are mistakes.
    static List<String> list(Fields fields, String key, Predicate<String> fits, String shape) {
        List<String> all = fields.texts(key).orElse(List.of());
        for (int i = 0; i < all.size(); i++) if (!fits.test(all.get(i))) fields.mistake(key + "[" + i + "]", shape);
        return all;
    }
}
