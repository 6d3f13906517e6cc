package hermit.config;

import hermit.problem.Nearest;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Reads `postgres://user:password@host:port/database?sslmode=…`, the address that most PostgreSQL tools share.
/// Messages never repeat any part that may hold the password.
final class PostgresUrl {
    private static final Set<String> SCHEMES = Set.of("postgres", "postgresql");

    /// Options by the name that libpq gives them, and what the JDBC driver calls them. A closed list: the driver
    /// has options that load classes or write files.
    private static final Map<String, String> OPTIONS = new TreeMap<>(Map.of(
            "sslmode", "sslmode",
            "sslrootcert", "sslrootcert",
            "sslcert", "sslcert",
            "sslkey", "sslkey",
            "connect_timeout", "connectTimeout",
            "application_name", "ApplicationName",
            "channel_binding", "channelBinding",
            "options", "options"));

    private PostgresUrl() {}

    static final class Malformed extends Exception {
        Malformed(String message) {
            super(message);
        }
    }

    static DatabaseSettings.Postgresql parse(String text) throws Malformed {
        URI url = uri(text);
        if (url.getScheme() == null || !SCHEMES.contains(url.getScheme()))
            throw new Malformed("must start with postgres://");
        if (url.getHost() == null || url.getRawFragment() != null)
            throw new Malformed("must be postgres://user:password@host:port/database, with special characters of the"
                    + " password percent-encoded");
        String userInfo = Optional.ofNullable(url.getRawUserInfo()).orElse("");
        int colon = userInfo.indexOf(':');
        if (colon <= 0 || colon == userInfo.length() - 1) throw new Malformed("must name a user and a password");
        String database = Optional.ofNullable(url.getRawPath()).orElse("").replaceFirst("^/", "");
        if (database.isEmpty() || database.contains("/")) throw new Malformed("must name a database");
        int port = url.getPort() == -1 ? 5432 : url.getPort();
        if (port < 1 || port > 65_535) throw new Malformed("has a port that does not exist");
        return new DatabaseSettings.Postgresql(
                "jdbc:postgresql://%s:%d/%s%s"
                        .formatted(
                                url.getHost(),
                                port,
                                encode(decode(database)),
                                options(Optional.ofNullable(url.getRawQuery()).orElse(""))),
                decode(userInfo.substring(0, colon)),
                new Secret(decode(userInfo.substring(colon + 1))));
    }

    /// The JDK's message would repeat the text.
    private static URI uri(String text) throws Malformed {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new Malformed("is no valid address: special characters must be percent-encoded");
        }
    }

    private static String options(String query) throws Malformed {
        if (query.isEmpty()) return "";
        var options = new StringBuilder();
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            String known = OPTIONS.get(name);
            if (known == null || equals < 0)
                throw new Malformed("has an option that is not one of %s%s"
                        .formatted(
                                String.join(", ", OPTIONS.keySet()),
                                Nearest.to(name, OPTIONS.keySet())
                                        .map(" (did you mean '%s'?)"::formatted)
                                        .orElse("")));
            options.append(options.isEmpty() ? '?' : '&')
                    .append(known)
                    .append('=')
                    .append(encode(decode(pair.substring(equals + 1))));
        }
        return options.toString();
    }

    /// Percent-decoding alone: in an address, unlike in a form, a plus sign is a plus sign.
    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
