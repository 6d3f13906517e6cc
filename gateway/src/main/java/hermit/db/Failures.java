package hermit.db;

import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.sqlite.SQLiteException;

/// Turns what drivers, pool and jOOQ throw into what the rest of the gateway knows. The message names the attempt
/// and a code, never a statement or a value.
final class Failures {
    /// PostgreSQL's classes of a mistake in our own statements or data: data, constraint, syntax.
    private static final Set<String> OUR_FAULT = Set.of("22", "23", "42");

    private Failures() {}

    /// `attempt` completes "could not …". What is an answer already passes through.
    static RuntimeException translate(String attempt, Throwable failure) {
        if (failure instanceof GatewayException answer) return answer;
        Optional<SQLException> cause = find(failure);
        if (cause.isEmpty())
            return failure instanceof RuntimeException own
                    ? own
                    : new IllegalStateException("could not " + attempt, failure);
        String code = code(cause.get());
        if (isOurFault(cause.get()))
            return new IllegalStateException("The database refused to %s (%s)".formatted(attempt, code), cause.get());
        return new BackendUnavailable("database: could not %s (%s)".formatted(attempt, code), cause.get());
    }

    private static boolean isOurFault(SQLException e) {
        if (e instanceof SQLiteException sqlite)
            return switch (primaryCode(sqlite)) {
                case 1, 19, 20, 21, 25 -> true; // ERROR, CONSTRAINT, MISMATCH, MISUSE, RANGE
                default -> false;
            };
        String state = e.getSQLState();
        return state != null && state.length() == 5 && OUR_FAULT.contains(state.substring(0, 2));
    }

    private static String code(SQLException e) {
        if (e instanceof SQLiteException sqlite) return sqlite.getResultCode().name();
        return Optional.ofNullable(e.getSQLState())
                .map(state -> "SQLSTATE " + state)
                .orElse("no connection");
    }

    /// SQLite's extended codes carry the primary one in their lowest byte.
    private static int primaryCode(SQLiteException e) {
        return e.getResultCode().code & 0xFF;
    }

    private static Optional<SQLException> find(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause())
            if (each instanceof SQLException sql) return Optional.of(sql);
        return Optional.empty();
    }
}
