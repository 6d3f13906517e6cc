package hermit.config;

import hermit.problem.FieldError;
import java.nio.file.Path;
import java.util.List;

/// Which database keeps everything.
public sealed interface DatabaseSettings {
    /// What may be shown of it.
    String describe();

    /// One file of this gateway alone.
    record Sqlite(Path file) implements DatabaseSettings {
        @Override
        public String describe() {
            return "sqlite:" + file;
        }
    }

    /// A server that several gateways may share. `jdbcUrl` holds neither user nor password.
    record Postgresql(String jdbcUrl, String user, Secret password) implements DatabaseSettings {
        @Override
        public String describe() {
            return jdbcUrl.substring("jdbc:".length());
        }
    }

    /// PostgreSQL if `DATABASE_URL` says so, or else a file in the home directory.
    static DatabaseSettings read(Environment environment, Path home, List<FieldError> mistakes) {
        DatabaseSettings embedded = new Sqlite(home.resolve("hermit.db"));
        return environment
                .get("DATABASE_URL")
                .map(url -> {
                    try {
                        return PostgresUrl.parse(url);
                    } catch (PostgresUrl.Malformed e) {
                        mistakes.add(new FieldError("DATABASE_URL", String.valueOf(e.getMessage())));
                        return embedded;
                    }
                })
                .orElse(embedded);
    }
}
