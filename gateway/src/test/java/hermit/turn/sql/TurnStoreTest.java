package hermit.turn.sql;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.Racing;
import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.exec.Uuids;
import hermit.identity.UserId;
import hermit.sandbox.sql.SqlSandboxStore;
import hermit.session.Author;
import hermit.session.Redaction;
import hermit.session.Session;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import hermit.session.sql.LogRows;
import hermit.session.sql.SqlSessionStore;
import hermit.turn.CallResult;
import hermit.turn.Step;
import hermit.turn.Turn;
import hermit.turn.Turn.Reason;
import hermit.turn.TurnId;
import hermit.turn.TurnStore;
import hermit.turn.TurnStore.Lease;
import hermit.turn.Usage;
import hermit.turn.WantedCall;
import java.nio.file.Path;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TurnStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");
    private static final UUID HERE = new UUID(1, 1);
    private static final UUID THERE = new UUID(2, 2);
    private static final Lease MINE = new Lease(HERE, NOW.plusSeconds(60));
    private static final Lease THEIRS = new Lease(THERE, NOW.plusSeconds(60));
    private static final Turn.End DONE = new Turn.End(NOW.plusSeconds(5), Reason.DONE, Optional.empty());

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
    void a_turn_is_queued_begun_and_ended_with_what_the_log_says(TestDatabase kind) {
        var house = new House(kind);
        TurnId id = house.post(house.session, "hello");
        assertThat(house.find(id).state()).isEqualTo(Turn.State.QUEUED);
        assertThat(house.turns.waiting(10)).containsExactly(house.session);
        Turn begun = house.turns.begin(house.session, MINE, NOW).orElseThrow();
        assertThat(begun.id()).isEqualTo(id);
        assertThat(begun.agent()).isEqualTo(new AgentId("main"));
        assertThat(begun.startedAt()).contains(NOW);
        assertThat(house.turns.waiting(10)).isEmpty();

        var call = new WantedCall(newId(), newId(), "exec", Map.of("command", "a\0b", "n", 3L), Optional.empty());
        var step = new Step(1, "let me", List.of(call), List.of());
        assertThat(house.turns.addStep(id, MINE, step, new Usage(10, 5), List.of(notice("one")), NOW))
                .isTrue();
        var result = new CallResult(call.id(), "exec", Map.of("exit_code", 0L, "list", List.of("x")), false);
        assertThat(house.turns.addResults(id, MINE, 1, List.of(result), List.of(), NOW))
                .isTrue();
        assertThat(house.turns.steps(id)).singleElement().satisfies(read -> {
            assertThat(read.calls().getFirst().arguments()).containsEntry("command", "a\ufffdb");
            assertThat(read.results()).containsExactly(result);
        });
        assertThat(house.turns.end(id, HERE, DONE, List.of(notice("end")))).isTrue();
        assertThat(house.turns.end(id, HERE, DONE, List.of(notice("end")))).isFalse();
        Turn ended = house.find(id);
        assertThat(ended.end()).contains(DONE);
        assertThat(ended.steps()).isEqualTo(1);
        assertThat(ended.usage()).isEqualTo(new Usage(10, 5));
        assertThat(house.log()).containsExactly("hello", "one", "end");
        assertThat(house.turns.before(house.session, 100, 10, 1_000))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.text()).isEqualTo("hello");
                    assertThat(each.steps()).hasSize(1);
                    assertThat(each.end()).contains(DONE);
                });
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_of_an_author_is_undone_is_counted_over_all_sessions(TestDatabase kind) {
        var house = new House(kind);
        var program = new Author.Program(house.agent.uid());
        TurnId running = house.begun("one");
        house.post(house.session, "two");
        house.turns.post(house.session, said("three"), new TurnId(newId()), program, NOW);
        assertThat(house.turns.undoneOf(new Author.Admin())).isEqualTo(2);
        assertThat(house.turns.undoneOf(program)).isEqualTo(1);
        assertThat(house.turns.undoneOf(new Author.Program(newId()))).isZero();
        assertThat(house.turns.undoneOf(new Author.Person(new UserId(newId())))).isZero();
        house.turns.end(running, HERE, DONE, List.of());
        assertThat(house.turns.undoneOf(new Author.Admin())).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_session_that_is_deleted_takes_its_turns_with_it(TestDatabase kind) {
        var house = new House(kind);
        TurnId running = house.begun("one");
        TurnId queued = house.post(house.session, "two");
        assertThat(house.turns.known(Set.of(running, queued))).containsExactlyInAnyOrder(running, queued);
        assertThat(house.sessions.delete(house.session, NOW)).isTrue();
        assertThat(house.turns.known(Set.of(running, queued))).isEmpty();
        assertThat(house.turns.say(running, MINE, List.of(notice("x")), NOW)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void of_many_who_begin_at_once_one_does_and_one_turn_runs_at_a_time(TestDatabase kind) throws Exception {
        var house = new House(kind);
        TurnId first = house.post(house.session, "one");
        TurnId second = house.post(house.session, "two");
        var racers = new ArrayList<Callable<Optional<Turn>>>();
        for (int i = 0; i < 8; i++) {
            Lease lease = i % 2 == 0 ? MINE : THEIRS;
            racers.add(() -> house.turns.begin(house.session, lease, NOW));
        }
        var finish = Racing.of(racers);
        assertThat(finish.failures()).isEmpty();
        var begun = finish.results().stream().flatMap(Optional::stream).toList();
        assertThat(begun)
                .singleElement()
                .satisfies(turn -> assertThat(turn.id()).isEqualTo(first));
        assertThat(house.turns.waiting(10)).isEmpty();
        house.turns.end(first, HERE, DONE, List.of());
        house.turns.end(first, THERE, DONE, List.of());
        assertThat(house.turns.begin(house.session, MINE, NOW).orElseThrow().id())
                .isEqualTo(second);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void nobody_writes_to_a_turn_that_is_not_theirs(TestDatabase kind) {
        var house = new House(kind);
        TurnId id = house.begun("mine");
        assertThat(house.turns.say(id, THEIRS, List.of(notice("x")), NOW)).isFalse();
        assertThat(house.turns.end(id, THERE, DONE, List.of(notice("x")))).isFalse();
        assertThat(house.turns.abandon(id, THERE, DONE, List.of(notice("x")))).isFalse();
        assertThat(house.turns.abandoned(THERE, Set.of(), NOW.plusSeconds(59))).isEmpty();
        // Once the lease has run out, the other may end it, and its gateway has lost it.
        var late = new Turn.End(NOW.plusSeconds(60), Reason.INTERRUPTED, Optional.of("gone"));
        assertThat(house.turns.abandoned(THERE, Set.of(), late.at()))
                .extracting(Turn::id)
                .containsExactly(id);
        assertThat(house.turns.abandon(id, THERE, late, List.of(notice("gone"))))
                .isTrue();
        assertThat(house.turns.say(id, MINE, List.of(notice("x")), NOW)).isFalse();
        assertThat(house.turns.addStep(id, MINE, new Step(1, "x", List.of(), List.of()), Usage.NONE, List.of(), NOW))
                .isFalse();
        assertThat(house.log()).containsExactly("mine", "gone");
        assertThat(house.turns.steps(id)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_sign_of_life_keeps_the_lease_and_a_gateways_own_are_known_at_once(TestDatabase kind) {
        var house = new House(kind);
        TurnId id = house.begun("x");
        assertThat(house.turns.say(id, new Lease(HERE, NOW.plusSeconds(120)), List.of(), NOW))
                .isTrue();
        assertThat(house.turns.abandoned(THERE, Set.of(), NOW.plusSeconds(119))).isEmpty();
        assertThat(house.turns.abandoned(HERE, Set.of(id), NOW)).isEmpty();
        assertThat(house.turns.abandoned(HERE, Set.of(), NOW))
                .extracting(Turn::id)
                .containsExactly(id);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_waits_ends_by_a_cancellation_and_what_runs_is_to_end(TestDatabase kind) {
        var house = new House(kind);
        TurnId runs = house.begun("one");
        TurnId waits = house.post(house.session, "two");
        TurnStore.Ending ending = _ -> List.of(notice("never"));
        assertThat(house.turns.cancel(house.session, ending, NOW))
                .extracting(Turn::id)
                .containsExactly(runs, waits);
        assertThat(house.turns.cancel(house.session, ending, NOW)).isEmpty();
        assertThat(house.find(waits).end().orElseThrow().reason()).isEqualTo(Reason.CANCELLED);
        assertThat(house.find(runs).end()).isEmpty();
        assertThat(house.turns.toEnd(HERE)).containsExactly(runs);
        assertThat(house.turns.toEnd(THERE)).isEmpty();
        assertThat(house.log()).containsExactly("one", "two", "never");
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_session_in_which_somebody_answers_is_not_silent_and_one_that_is_over_has_no_turns(TestDatabase kind) {
        var house = new House(kind);
        TurnId runs = house.begun("one");
        TurnId waits = house.post(house.session, "two");
        Instant later = NOW.plusSeconds(3_600);
        Instant since = later.minusSeconds(60);
        var end = new Session.End(later, "idle");
        assertThat(house.sessions.silent(since, 10)).hasSize(1);
        // A sign of life of the turn is one of its session.
        assertThat(house.turns.say(runs, MINE, List.of(), later)).isTrue();
        assertThat(house.sessions.silent(since, 10)).isEmpty();
        assertThat(house.sessions.end(house.session, end, Optional.of(since))).isFalse();
        // And so is a message that waits for its turn.
        Instant muchLater = later.plusSeconds(3_600);
        house.turns.noteWaiting(muchLater);
        assertThat(house.sessions.silent(muchLater.minusSeconds(1), 10)).isEmpty();
        assertThat(house.sessions.end(house.session, end, Optional.empty())).isTrue();
        assertThat(house.turns.toEnd(HERE)).containsExactly(runs);
        assertThat(house.turns.endOrphans(_ -> List.of(), later))
                .extracting(Turn::id)
                .containsExactly(waits);
        house.turns.end(runs, HERE, DONE, List.of());
        assertThat(house.turns.post(house.session, notice("x"), new TurnId(newId()), new Author.Admin(), NOW))
                .isEmpty();
        assertThat(house.turns.begin(house.session, MINE, NOW)).isEmpty();
        assertThat(house.sessions.delete(house.session, later)).isTrue();
        assertThat(house.turns.find(house.session, runs)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_session_that_is_deleted_takes_its_turns_along(TestDatabase kind) {
        var house = new House(kind);
        TurnId runs = house.begun("one");
        house.turns.addStep(runs, MINE, new Step(1, "x", List.of(), List.of()), Usage.NONE, List.of(), NOW);
        assertThat(house.sessions.delete(house.session, NOW)).isTrue();
        assertThat(house.turns.say(runs, MINE, List.of(notice("x")), NOW)).isFalse();
        assertThat(house.turns.steps(runs)).isEmpty();
        assertThat(house.turns.waiting(10)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_was_said_before_is_there_with_and_without_an_answer_the_newest_first_to_stay(TestDatabase kind) {
        var house = new House(kind);
        house.sessions.append(house.session, List.of(said("nobody listens")), true, NOW);
        TurnId answered = house.begun("one");
        house.turns.addStep(answered, MINE, new Step(1, "yes", List.of(), List.of()), Usage.NONE, List.of(), NOW);
        house.turns.end(answered, HERE, DONE, List.of());
        TurnId now = house.post(house.session, "two");
        long seq = house.find(now).messageSeq();
        assertThat(house.turns.before(house.session, seq, 10, 1_000))
                .extracting(TurnStore.Exchange::text)
                .containsExactly("nobody listens", "one");
        assertThat(house.turns.before(house.session, seq + 1, 2, 1_000))
                .extracting(TurnStore.Exchange::text)
                .containsExactly("one", "two");
        // "two" and "one" with its "yes" and two lists of calls and results fit, what came before does not.
        assertThat(house.turns.before(house.session, seq + 1, 10, 45))
                .extracting(TurnStore.Exchange::text)
                .containsExactly("one", "two");
        assertThat(house.turns.before(house.session, seq + 1, 10, 1))
                .extracting(TurnStore.Exchange::text)
                .containsExactly("two");
        assertThat(house.turns.lastText(answered)).isEqualTo("yes");
        assertThat(house.turns.lastText(now)).isEmpty();
    }

    private UUID newId() {
        ids = ids.plusMillis(1);
        return Uuids.timeOrdered(ids, random);
    }

    private static Draft notice(String text) {
        return new Draft(SessionEvent.Type.NOTICE, Map.of("text", text));
    }

    private static Draft said(String text) {
        return new Draft(SessionEvent.Type.USER_MESSAGE, Map.of("text", text));
    }

    private final class House {
        private final SqlSessionStore sessions;
        private final SqlTurnStore turns;
        private final Agent agent;
        private final SessionId session = new SessionId(newId());

        House(TestDatabase kind) {
            var database = Database.open(kind.migrated(directory));
            opened.add(database);
            sessions = new SqlSessionStore(database, new LogRows(Redaction.NONE));
            turns = new SqlTurnStore(database, new LogRows(Redaction.NONE)::write);
            agent = new Agent(newId(), new AgentId("main"), "main", AgentConfig.EMPTY, 1, NOW, NOW);
            new SqlSandboxStore(database)
                    .createAgent(agent, SecurityPolicy.DEFAULT, Optional.empty(), Optional.empty());
            sessions.add(new Session(
                    session,
                    agent.uid(),
                    new Author.Admin(),
                    Optional.empty(),
                    Map.of(),
                    Map.of(),
                    0,
                    NOW,
                    NOW,
                    Optional.empty()));
        }

        TurnId post(SessionId to, String text) {
            var id = new TurnId(newId());
            assertThat(turns.post(to, said(text), id, new Author.Admin(), NOW)).isPresent();
            return id;
        }

        TurnId begun(String text) {
            TurnId id = post(session, text);
            assertThat(turns.begin(session, MINE, NOW)).isPresent();
            return id;
        }

        Turn find(TurnId id) {
            return turns.find(session, id).orElseThrow();
        }

        List<String> log() {
            return sessions.events(session, 0, EnumSet.allOf(SessionEvent.Type.class), 100).stream()
                    .map(each -> String.valueOf(each.data().get("text")))
                    .toList();
        }
    }
}
