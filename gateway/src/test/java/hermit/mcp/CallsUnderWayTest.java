package hermit.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.approval.Approval;
import hermit.identity.UserId;
import hermit.mcp.Call.End;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.RateLimited;
import hermit.session.Author;
import hermit.session.SessionId;
import hermit.tool.WatchedCommand;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class CallsUnderWayTest {
    private static final Author ANN = new Author.Person(new UserId(new UUID(0, 1)));
    private static final Author BOB = new Author.Person(new UserId(new UUID(0, 2)));
    private static final End DONE = new End.Done(Map.of());

    private final CallsUnderWay calls = new CallsUnderWay();
    private final CountDownLatch until = new CountDownLatch(1);

    @AfterEach
    void close() {
        until.countDown();
        calls.close();
    }

    private static CallsUnderWay.Key key(int session, Object id) {
        return new CallsUnderWay.Key(new SessionId(new UUID(0, session)), id);
    }

    private static Call call() {
        return new Call(new Call.Hands() {
            @Override
            public void end(WatchedCommand command) {}

            @Override
            public void takeBack(Approval approval) {}
        });
    }

    private Call begin(int session, Object id, Author by, Supplier<End> work) {
        var call = call();
        calls.begin(key(session, id), call, by, work);
        return call;
    }

    private End untilTheTestEnds() {
        try {
            until.await();
        } catch (InterruptedException e) {
            return new End.Broken();
        }
        return DONE;
    }

    private void fill(int session, Author by) {
        for (int i = 0; i < CallsUnderWay.MOST_OF_A_SESSION; i++) begin(session, i, by, this::untilTheTestEnds);
    }

    @Test
    void a_session_has_so_many_calls_and_no_more() {
        fill(1, ANN);
        assertThatThrownBy(() -> begin(1, "more", ANN, this::untilTheTestEnds)).isInstanceOf(RateLimited.class);
        begin(2, "more", ANN, this::untilTheTestEnds);
    }

    @Test
    void a_caller_has_so_many_calls_in_however_many_sessions() {
        for (int session = 0; session * CallsUnderWay.MOST_OF_A_SESSION < CallsUnderWay.MOST_OF_A_CALLER; session++)
            fill(session, ANN);
        assertThatThrownBy(() -> begin(100, "more", ANN, this::untilTheTestEnds))
                .isInstanceOf(RateLimited.class)
                .hasMessageContaining("of your calls");
        begin(101, "more", BOB, this::untilTheTestEnds);
    }

    @Test
    void an_id_names_one_call_at_a_time_and_may_be_used_again_by_whoever_has_the_answer() throws Exception {
        begin(1, "id", ANN, this::untilTheTestEnds);
        assertThatThrownBy(() -> begin(1, "id", ANN, this::untilTheTestEnds)).isInstanceOf(Invalid.class);
        for (int i = 0; i < 1_000; i++)
            assertThat(begin(2, "id", ANN, () -> DONE).awaitEnd().end()).contains(DONE);
    }

    @Test
    void closing_waits_for_last_words_and_begins_nothing_more() throws Exception {
        var said = new AtomicBoolean();
        var closing = new Thread(calls::close);
        var running = new CountDownLatch(1);
        begin(1, "id", ANN, () -> {
            running.countDown();
            End end = untilTheTestEnds();
            while (closing.getState() != Thread.State.TIMED_WAITING && closing.isAlive()) Thread.onSpinWait();
            said.set(closing.isAlive());
            return end;
        });
        running.await();
        closing.start();
        closing.join();
        assertThat(said).isTrue();
        assertThatThrownBy(() -> begin(1, "id", ANN, () -> DONE)).isInstanceOf(BackendUnavailable.class);
    }
}
