package hermit.session.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.Racing;
import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.exec.ExecId;
import hermit.exec.Uuids;
import hermit.identity.User;
import hermit.identity.UserId;
import hermit.identity.sql.SqlUserStore;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.sql.SqlSandboxStore;
import hermit.session.Author;
import hermit.session.Redaction;
import hermit.session.Session;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import hermit.session.SessionLog;
import hermit.session.SessionStore;
import hermit.session.SessionStore.Scope;
import hermit.world.TestWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SessionStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");
    private static final Set<SessionEvent.Type> ALL = EnumSet.allOf(SessionEvent.Type.class);

    @TempDir
    Path directory;

    private final Random random = new Random(5);
    private final List<Database> opened = new ArrayList<>();
    private Instant ids = NOW;

    @AfterEach
    void close() {
        opened.forEach(Database::close);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void no_secret_is_written_whoever_writes(TestDatabase kind) {
        Database database = open(kind);
        var rows = new LogRows(new Redaction(List.of("correct horse")));
        var store = new SqlSessionStore(database, rows);
        Session session = session(agent(database, "main"), new Author.Admin(), Optional.empty());
        store.add(session);
        var drafts = List.of(new Draft(SessionEvent.Type.USER_MESSAGE, Map.of("text", "it is correct horse")));
        var written = store.append(session.id(), drafts, true, NOW);
        assertThat(written).extracting(each -> each.data().get("text")).containsExactly("it is (hidden)");
        database.write("as part of something else", sql -> {
            rows.append(sql, session.id(), drafts, NOW);
            return rows.write(sql, session.id(), true, drafts, NOW);
        });
        assertThat(store.events(session.id(), 0, EnumSet.allOf(SessionEvent.Type.class), 10))
                .hasSize(3)
                .allSatisfy(each -> assertThat(each.data()).containsEntry("text", "it is (hidden)"));
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_is_stored_is_read_back(TestDatabase kind) {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Agent agent = agent(database, "main");
        Session session = session(agent, new Author.Person(user(database)), Optional.of("telegram"));
        store.add(session);
        assertThat(store.find(session.id())).contains(session);
        assertThat(store.find(agent.uid(), session.id())).contains(session);
        assertThat(store.find(newId(), session.id())).isEmpty();
        store.describe(session.id(), Map.of("kind", "web"), Map.of());
        assertThat(store.find(session.id()).orElseThrow().source()).isEqualTo(Map.of("kind", "web"));

        var end = new Session.End(NOW.plusSeconds(5), "requested");
        assertThat(store.end(session.id(), end, Optional.empty())).isTrue();
        assertThat(store.end(session.id(), end, Optional.empty())).isFalse();
        assertThat(store.find(session.id()).orElseThrow().end()).contains(end);
        assertThat(store.reopen(session.id(), NOW)).isTrue();
        assertThat(store.reopen(session.id(), NOW)).isFalse();
        assertThat(store.find(session.id()).orElseThrow().isOpen()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_list_holds_what_its_scope_says_newest_first(TestDatabase kind) {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Agent agent = agent(database, "main");
        Author person = new Author.Person(user(database));
        Author program = new Author.Program(agent.uid());
        Session first = added(store, session(agent, person, Optional.empty()));
        Session second = added(store, session(agent, program, Optional.empty()));
        Session third = added(store, session(agent, person, Optional.of("slack")));
        added(store, session(agent(database, "other"), person, Optional.empty()));
        assertThat(list(store, agent, Scope.ALL)).containsExactly(third, second, first);
        assertThat(list(store, agent, new Scope(Optional.of(person), Optional.empty())))
                .containsExactly(third, first);
        assertThat(list(store, agent, new Scope(Optional.of(program), Optional.empty())))
                .containsExactly(second);
        assertThat(list(store, agent, new Scope(Optional.empty(), Optional.of("slack"))))
                .containsExactly(third);
        var page = store.list(agent.uid(), Scope.ALL, PageRequest.first(2));
        assertThat(store.list(agent.uid(), Scope.ALL, new PageRequest(page.next(), 2))
                        .items())
                .containsExactly(first);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void numbers_have_no_gaps_however_many_write_at_once(TestDatabase kind) throws Exception {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Session session = added(store, session(agent(database, "main"), new Author.Admin(), Optional.empty()));
        var writers = new ArrayList<Callable<List<SessionEvent>>>();
        for (int i = 0; i < 20; i++) {
            String text = "w" + i;
            writers.add(() -> store.append(session.id(), List.of(message(text), message(text)), true, NOW));
        }
        var race = Racing.of(writers);
        assertThat(race.failures()).isEmpty();
        // Each writer's events stand together.
        assertThat(race.results())
                .allSatisfy(events ->
                        assertThat(events.get(1).seq()).isEqualTo(events.get(0).seq() + 1));
        var all = store.events(session.id(), 0, ALL, 100);
        assertThat(all.stream().map(SessionEvent::seq))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 40).boxed().toList());
        assertThat(store.find(session.id()).orElseThrow().lastSeq()).isEqualTo(40);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void after_five_thousand_events_and_a_restart_a_follower_goes_on_exactly_where_it_was(TestDatabase kind)
            throws Exception {
        var settings = kind.migrated(directory);
        SessionId id;
        try (Database database = Database.open(settings)) {
            var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
            Session session = added(store, session(agent(database, "main"), new Author.Admin(), Optional.empty()));
            id = session.id();
            for (int i = 0; i < 50; i++) {
                var batch = IntStream.range(0, 100)
                        .mapToObj(each -> message("m" + each))
                        .toList();
                store.append(id, batch, true, NOW);
            }
        }
        Database database = Database.open(settings);
        opened.add(database);
        var log = new SessionLog(new SqlSessionStore(database, new LogRows(Redaction.NONE)), new TestWorld().world());
        log.append(id, true, message("after the restart"));
        var seen = new ArrayList<Long>();
        try (var follower = log.follow(id, 4_321)) {
            while (seen.size() < 680)
                if (follower.next() instanceof SessionLog.Next.Events(var events))
                    events.forEach(each -> seen.add(each.seq()));
        }
        assertThat(seen)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(4_322, 5_001).boxed().toList());
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_another_gateway_writes_is_found_by_looking(TestDatabase kind) throws Exception {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Session session = added(store, session(agent(database, "main"), new Author.Admin(), Optional.empty()));
        var here = new SessionLog(store, new TestWorld().world());
        var there = new SessionLog(store, new TestWorld().world());
        try (var follower = here.follow(session.id(), 0)) {
            there.append(session.id(), true, message("one"));
            assertThat(follower.next()).isInstanceOf(SessionLog.Next.Events.class);
            there.append(session.id(), true, message("two"));
            here.poll();
            assertThat(follower.next())
                    .isInstanceOfSatisfying(
                            SessionLog.Next.Events.class,
                            next -> assertThat(next.events().getFirst().data()).containsEntry("text", "two"));
            here.recheck();
            assertThat(follower.next()).isInstanceOf(SessionLog.Next.Recheck.class);
            store.delete(session.id(), NOW);
            here.poll();
            assertThat(follower.next()).isInstanceOf(SessionLog.Next.Gone.class);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void nothing_is_written_to_an_ended_session_that_must_be_open_nor_to_a_deleted_one(TestDatabase kind) {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Session session = added(store, session(agent(database, "main"), new Author.Admin(), Optional.empty()));
        store.append(session.id(), List.of(message("before")), true, NOW);
        store.end(session.id(), new Session.End(NOW, "requested"), Optional.empty());
        assertThat(store.append(session.id(), List.of(message("x")), true, NOW)).isEmpty();
        assertThat(store.append(session.id(), List.of(message("result")), false, NOW))
                .hasSize(1);
        assertThat(store.delete(session.id(), NOW)).isTrue();
        assertThat(store.delete(session.id(), NOW)).isFalse();
        assertThat(store.append(session.id(), List.of(message("x")), false, NOW))
                .isEmpty();
        assertThat(store.events(session.id(), 0, ALL, 10)).isEmpty();
        assertThat(store.find(session.id())).isEmpty();
        assertThat(store.lastSeqs(Set.of(session.id()))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void any_text_is_kept_but_for_nul(TestDatabase kind) {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Session session = added(store, session(agent(database, "main"), new Author.Admin(), Optional.empty()));
        store.append(session.id(), List.of(message("a\0b \\u0000 \\\\\0 ü 🦊 \u202e")), true, NOW);
        assertThat(store.events(session.id(), 0, Set.of(SessionEvent.Type.USER_MESSAGE), 10)
                        .getFirst()
                        .data())
                .containsEntry("text", "a\ufffdb \\u0000 \\\\\ufffd ü 🦊 \u202e");
        assertThat(store.events(session.id(), 0, Set.of(SessionEvent.Type.NOTICE), 10))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void only_sessions_that_are_still_silent_are_ended(TestDatabase kind) {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Agent agent = agent(database, "main");
        Session silent = added(store, session(agent, new Author.Admin(), Optional.empty()));
        Session lively = added(store, session(agent, new Author.Admin(), Optional.empty()));
        Instant since = NOW.plusSeconds(60);
        store.append(lively.id(), List.of(message("x")), true, since.plusSeconds(1));
        assertThat(store.silent(since, 10)).extracting(Session::id).containsExactly(silent.id());
        store.append(silent.id(), List.of(message("at the last moment")), true, since.plusSeconds(1));
        assertThat(store.end(silent.id(), new Session.End(since, "idle"), Optional.of(since)))
                .isFalse();
        assertThat(store.hasOpen(agent.uid())).isTrue();
        store.end(silent.id(), new Session.End(since, "x"), Optional.empty());
        store.delete(lively.id(), NOW);
        assertThat(store.hasOpen(agent.uid())).isFalse();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_command_belongs_to_its_session_only(TestDatabase kind) {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Agent agent = agent(database, "main");
        Session one = added(store, session(agent, new Author.Admin(), Optional.empty()));
        Session other = added(store, session(agent, new Author.Admin(), Optional.empty()));
        var exec = new ExecId(newId());
        store.addExec(one.id(), exec);
        store.addExec(one.id(), exec);
        assertThat(store.hasExec(one.id(), exec)).isTrue();
        assertThat(store.hasExec(other.id(), exec)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_deleted_agent_gets_no_session_and_a_merged_person_keeps_theirs(TestDatabase kind) {
        Database database = open(kind);
        var store = new SqlSessionStore(database, new LogRows(Redaction.NONE));
        Agent agent = agent(database, "main");
        UserId from = user(database);
        UserId into = user(database);
        Session session = added(store, session(agent, new Author.Person(from), Optional.empty()));
        new SqlUserStore(database).merge(from, into, NOW);
        assertThat(store.find(session.id()).orElseThrow().owner()).isEqualTo(new Author.Person(into));
        new SqlSandboxStore(database).deleteAgent(agent.uid(), NOW);
        assertThatThrownBy(() -> store.add(session(agent, new Author.Admin(), Optional.empty())))
                .isInstanceOf(NotFound.class);
    }

    private Database open(TestDatabase kind) {
        Database database = Database.open(kind.migrated(directory));
        opened.add(database);
        return database;
    }

    private static List<Session> list(SessionStore store, Agent agent, Scope scope) {
        return store.list(agent.uid(), scope, PageRequest.first(10)).items();
    }

    private static Session added(SessionStore store, Session session) {
        store.add(session);
        return session;
    }

    private static Draft message(String text) {
        return new Draft(SessionEvent.Type.USER_MESSAGE, Map.of("author", "admin", "text", text));
    }

    private Session session(Agent agent, Author owner, Optional<String> channel) {
        return new Session(
                new SessionId(newId()),
                agent.uid(),
                owner,
                channel.map(each -> new Session.Via(each, "42")),
                Map.of("kind", "cli"),
                Map.of("topic", "weather"),
                0,
                NOW,
                NOW,
                Optional.empty());
    }

    private Agent agent(Database database, String id) {
        var agent = new Agent(newId(), new AgentId(id), id, AgentConfig.EMPTY, 1, NOW, NOW);
        new SqlSandboxStore(database).createAgent(agent, SecurityPolicy.DEFAULT, Optional.empty(), Optional.empty());
        return agent;
    }

    private UserId user(Database database) {
        var id = new UserId(newId());
        new SqlUserStore(database).add(new User(id, "somebody", List.of(), NOW));
        return id;
    }

    private UUID newId() {
        ids = ids.plus(Duration.ofMillis(1));
        return Uuids.timeOrdered(ids, random);
    }
}
