package hermit.session.sql;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.command.ExecRecord;
import hermit.command.Outcome;
import hermit.command.StoredOutput;
import hermit.command.sql.SqlExecStore;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Command.Program;
import hermit.exec.ExecId;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStatus;
import hermit.sandbox.sql.SqlSandboxStore;
import hermit.session.Author;
import hermit.session.Redaction;
import hermit.session.Session;
import hermit.session.SessionId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// That commands of a session are to end: kept, so that the gateway that watches them learns it.
@DisplayNameGeneration(ReplaceUnderscores.class)
class CancelledExecsTest {
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");
    private static final UUID HERE = new UUID(1, 1);
    private static final UUID THERE = new UUID(2, 2);
    private static final SandboxId SANDBOX = new SandboxId(new UUID(3, 3));
    private static final UUID AGENT = new UUID(4, 4);

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_runs_is_to_end_at_its_gateway_and_nothing_else_is(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            var sessions = new SqlSessionStore(database, new LogRows(Redaction.NONE));
            var execs = new SqlExecStore(database);
            agent(database);
            SessionId one = session(sessions, 10);
            SessionId other = session(sessions, 11);
            ExecId here = exec(execs, sessions, one, HERE, 20);
            ExecId there = exec(execs, sessions, one, THERE, 21);
            ExecId ended = exec(execs, sessions, one, HERE, 22);
            end(execs, ended, HERE);
            ExecId elsewhere = exec(execs, sessions, other, HERE, 23);

            assertThat(sessions.cancelExecs(one, Set.of(), NOW)).containsExactly(here, there);
            assertThat(sessions.cancelExecs(one, Set.of(), NOW)).isEmpty();
            assertThat(execs.cancelled(HERE)).containsExactly(here);
            assertThat(execs.cancelled(THERE)).containsExactly(there);
            assertThat(sessions.isCancelled(here)).isTrue();
            assertThat(sessions.isCancelled(ended)).isFalse();
            assertThat(sessions.isCancelled(elsewhere)).isFalse();
            end(execs, here, HERE);
            assertThat(execs.cancelled(HERE)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_has_no_row_yet_is_kept_from_beginning(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            var sessions = new SqlSessionStore(database, new LogRows(Redaction.NONE));
            agent(database);
            SessionId session = session(sessions, 10);
            var noted = new ExecId(new UUID(5, 1));
            var begun = new ExecId(new UUID(5, 2));
            sessions.addExec(session, noted);
            assertThat(sessions.cancelExecs(session, Set.of(begun), NOW)).isEmpty();
            sessions.addExec(session, begun);
            assertThat(sessions.isCancelled(noted)).isTrue();
            assertThat(sessions.isCancelled(begun)).isTrue();
        }
    }

    private static void agent(Database database) {
        var agent = new Agent(AGENT, new AgentId("main"), "main", AgentConfig.EMPTY, 1, NOW, NOW);
        var sandbox = new Sandbox(
                SANDBOX,
                agent.uid(),
                agent.id(),
                Alias.DEFAULT,
                BackendConfig.of(BackendType.DOCKER, Map.of(), ""),
                new SandboxStatus.Pending(),
                0,
                Map.of(),
                NOW,
                NOW,
                1);
        new SqlSandboxStore(database)
                .createAgent(agent, SecurityPolicy.DEFAULT, Optional.of(sandbox), Optional.empty());
    }

    private static SessionId session(SqlSessionStore sessions, long number) {
        var session = new Session(
                new SessionId(new UUID(6, number)),
                AGENT,
                new Author.Admin(),
                Optional.empty(),
                Map.of(),
                Map.of(),
                0,
                NOW,
                NOW,
                Optional.empty());
        sessions.add(session);
        return session.id();
    }

    private static ExecId exec(
            SqlExecStore execs, SqlSessionStore sessions, SessionId session, UUID gateway, long number) {
        ExecRecord record = record(new ExecId(new UUID(7, number)), gateway);
        execs.insert(record, NOW);
        sessions.addExec(session, record.id());
        return record.id();
    }

    private static void end(SqlExecStore execs, ExecId id, UUID gateway) {
        var ended = record(id, gateway).ended(Outcome.notStarted("conflict", "never", NOW), 0, 0, List.of());
        assertThat(execs.ended(ended, StoredOutput.NONE)).isTrue();
    }

    private static ExecRecord record(ExecId id, UUID gateway) {
        return new ExecRecord(
                id,
                SANDBOX,
                gateway,
                "admin",
                new Program.Shell("true"),
                "/root",
                Optional.empty(),
                false,
                Optional.empty(),
                1024,
                Optional.empty(),
                1,
                NOW,
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                List.of());
    }
}
