package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import hermit.exec.ExecId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class KeeperConnectionTest {
    private static final ExecId ID = new ExecId(new UUID(0x0190_0000_0000_7000L, 1));
    private static final int WINDOW = 1_000;

    private final FakeKeeper keeper = new FakeKeeper();
    private final ManualScheduler scheduler = new ManualScheduler();
    private final RecordingFollower follower = new RecordingFollower();
    private final CompletableFuture<KeeperConnection> lost = new CompletableFuture<>();

    @AfterEach
    void close() {
        keeper.close();
    }

    @Test
    void a_command_is_followed_from_start_to_end() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        connection.join().start(new byte[10], WINDOW, follower);
        int channel = end.expect(FrameType.START).channel();

        end.started(channel);
        end.output(channel, 1, 0, "abc");
        end.output(channel, 2, 0, "de");
        end.output(channel, 1, 10, "f");
        end.end(channel, new Ended(Ended.How.EXITED, 3, 0, 11, 2, 0, 1_000, false, Optional.empty()));

        assertThat(follower.next()).isEqualTo("started");
        assertThat(follower.next()).isEqualTo("stdout 0+3");
        assertThat(follower.next()).isEqualTo("stderr 0+2");
        assertThat(follower.next()).isEqualTo("stdout 10+1");
        assertThat(follower.next()).isEqualTo("ended");
        assertThat(connection.join().isOpen()).isTrue();
    }

    static Stream<Arguments> violations() {
        return Stream.of(
                violation("a length of zero", end -> end.raw(new byte[9]), "frame of length 0"),
                violation(
                        "a length beyond the bound",
                        end -> end.raw(ByteBuffer.allocate(9).putInt(65_542).array()),
                        "frame of length 65542"),
                violation(
                        "a negative length", end -> end.raw(new byte[] {-1, -1, -1, -1, 2, 0, 0, 0, 0}), "4294967295"),
                violation("an unknown type", end -> end.send(0x7f, 0, new byte[0]), "unknown type 0x7f"),
                violation("a gateway's type", end -> end.send(FrameType.START, 1, new byte[0]), "only a gateway"),
                violation("an unknown channel", end -> end.output(99, 1, 0, "x"), "OUTPUT on unknown channel 99"),
                violation("a huge channel", end -> end.output(-1, 1, 0, "x"), "unknown channel 4294967295"),
                violation("a second greeting", KeeperConnectionTest::greet, "greeted twice"),
                violation("output on channel 0", end -> end.output(0, 1, 0, "x"), "OUTPUT on channel 0"),
                violation("an answer to no ping", end -> end.send(FrameType.PONG, 0, new byte[8]), "PONG to no PING"),
                violation("a long ping", end -> end.send(FrameType.PING, 0, new byte[9]), "more than 8 bytes"),
                violation("giving up", end -> end.error(0, Refusal.Code.TOO_MANY), "because (TOO_MANY)"),
                violation(
                        "output that goes back",
                        end -> end.output(1, 1, 2, "x"),
                        "stdout goes on at 2, but was due at 3"),
                violation("output at the end of numbers", end -> end.output(1, 1, Long.MAX_VALUE, "x"), "goes on at"),
                violation("output at a negative offset", end -> end.output(1, 1, -1, "x"), "18446744073709551615"),
                violation("output of a third stream", end -> end.output(1, 3, 0, "x"), "stream 3"),
                violation("output without bytes", end -> end.output(1, 2, 0, ""), "without bytes"),
                violation("more output than granted", end -> end.output(1, 2, 0, "x".repeat(998)), "than was granted"),
                violation("starting twice", end -> end.started(1), "STARTED is not due"),
                violation("attaching unasked", end -> end.attached(1, 0, 0), "ATTACHED is not due"),
                violation("refusing what runs", end -> end.refused(1, Refusal.Code.TOO_OLD), "REFUSED is not due"),
                violation("half an end", end -> end.send(FrameType.END, 1, new byte[3]), "cut short"),
                violation(
                        "an end in no way",
                        end -> end.send(FrameType.END, 1, new FieldsWriter().number(1, 0)),
                        "how 0"),
                violation(
                        "an unknown field",
                        end -> end.send(
                                FrameType.ERROR,
                                1,
                                new FieldsWriter().number(1, 1).text(2, "").number(9, 9)),
                        "unknown fields [9]"),
                violation(
                        "a field over the end",
                        end -> end.send(FrameType.ERROR, 1, new byte[] {1, 0, 0, 0, 9, 0}),
                        "field 1 runs over the end"),
                violation(
                        "stdin credit of 3 bytes", end -> end.send(FrameType.STDIN_CREDIT, 1, new byte[3]), "4 bytes"),
                violation(
                        "a payload where none belongs",
                        end -> end.send(FrameType.STDIN_CLOSED, 1, new byte[1]),
                        "empty"));
    }

    @ParameterizedTest
    @MethodSource("violations")
    void a_keeper_that_breaks_the_protocol_is_left(Consumer<KeeperEnd> mistake, String message) throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        connection.join().start(new byte[10], WINDOW, follower);
        int channel = end.expect(FrameType.START).channel();
        assertThat(channel).isEqualTo(1);
        end.started(channel);
        end.output(channel, 1, 0, "abc");
        follower.next();
        follower.next();

        mistake.accept(end);

        assertThat(follower.next()).startsWith("lost: ").contains(message);
        end.expectClosed();
        assertThat(lost.get(10, TimeUnit.SECONDS)).isSameAs(connection.join());
        assertThat(connection.join().isOpen()).isFalse();
        assertThat(connection.join().start(new byte[1], WINDOW, follower)).isEmpty();
        assertThat(follower.hasMore()).isFalse();
    }

    @Test
    void a_keeper_that_says_something_else_first_is_left() throws Exception {
        var connection = connect();
        var end = keeper.silentBridge().listen();
        end.send(FrameType.PING, 0, new byte[8]);
        assertThatThrownBy(connection::join)
                .hasRootCauseInstanceOf(BadFrame.class)
                .hasMessageContaining("greet first");
        end.expectClosed();
    }

    @Test
    void a_keeper_of_another_version_is_left() throws Exception {
        var connection = connect();
        var end = keeper.silentBridge().listen();
        end.error(0, Refusal.Code.BAD_VERSION);
        assertThatThrownBy(connection::join).hasMessageContaining("BAD_VERSION");
    }

    @Test
    void a_keeper_that_does_not_greet_is_left_after_ten_seconds() throws Exception {
        var connection = connect();
        var end = keeper.silentBridge().listen();
        scheduler.awaitTaskWithin(Duration.ofSeconds(10));
        scheduler.advance(Duration.ofSeconds(10));
        assertThatThrownBy(connection::join).hasMessageContaining("did not greet within PT10S");
        end.expectClosed();
    }

    @Test
    void silence_is_broken_every_fifteen_seconds() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        connection.join();
        for (int i = 0; i < 10; i++) {
            scheduler.advance(Duration.ofSeconds(14));
            scheduler.advance(Duration.ofSeconds(1));
            end.ping();
            // The answer is there before time goes on.
            connection.join().ping().get(10, TimeUnit.SECONDS);
            end.ping();
        }
        assertThat(connection.join().isOpen()).isTrue();
    }

    @Test
    void a_keeper_that_only_talks_still_hears_from_us() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        connection.join().start(new byte[10], WINDOW, follower);
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        follower.next();
        for (int i = 0; i < 6; i++) {
            scheduler.advance(Duration.ofSeconds(5));
            end.output(channel, 1, i, "x");
            follower.next();
        }
        end.ping();
    }

    @Test
    void a_keeper_that_is_silent_for_45_seconds_is_dead() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        end.mute();
        connection.join().start(new byte[10], WINDOW, follower);
        end.expect(FrameType.START);

        scheduler.advance(Duration.ofSeconds(44));
        assertThat(connection.join().isOpen()).isTrue();
        scheduler.advance(Duration.ofSeconds(1));

        assertThat(follower.next()).isEqualTo("lost: nothing came from the keeper for PT45S");
        end.expectClosed();
    }

    @Test
    void a_ping_of_the_keeper_is_answered_with_its_bytes() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        connection.join();
        end.send(FrameType.PING, 0, "hello".getBytes(StandardCharsets.UTF_8));
        assertThat(end.expect(FrameType.PONG).text()).isEqualTo("hello");
    }

    @Test
    void frames_for_a_channel_that_was_left_are_dropped() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        var channel = connection.join().start(new byte[10], WINDOW, follower).orElseThrow();
        end.expect(FrameType.START);
        channel.detach();
        end.expect(FrameType.DETACH);

        end.started(channel.number());
        end.output(channel.number(), 1, 0, "late");
        end.exited(channel.number(), 0, 4);
        connection.join().ping().get(10, TimeUnit.SECONDS);

        assertThat(connection.join().isOpen()).isTrue();
        assertThat(follower.hasMore()).isFalse();
    }

    @Test
    void a_ping_fails_with_the_connection() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        end.mute();
        var ping = connection.join().ping();
        end.ping();
        end.close();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> ping.get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(IOException.class);
        assertThat(connection.join().ping()).isCompletedExceptionally();
    }

    @Test
    void an_attach_says_from_where_and_how_much() throws Exception {
        var connection = connect();
        var end = keeper.bridge();
        connection.join().attach(ID, 7, 8, WINDOW, true, follower);
        var attach = end.expect(FrameType.ATTACH);
        assertThat(attach.number(2)).isEqualTo(7);
        assertThat(attach.number(3)).isEqualTo(8);
        assertThat(attach.number(4)).isEqualTo(WINDOW);
        assertThat(attach.number(5)).isEqualTo(StartRequest.HOLD);
    }

    private static Arguments violation(String name, Consumer<KeeperEnd> mistake, String message) {
        return argumentSet(name, mistake, message);
    }

    private static void greet(KeeperEnd end) {
        end.send(FrameType.HELLO, 0, KeeperEnd.hello(new UUID(1, 1)));
    }

    private CompletableFuture<KeeperConnection> connect() {
        var connection = new CompletableFuture<KeeperConnection>();
        Thread.ofVirtual().start(() -> {
            try {
                connection.complete(KeeperConnection.open(keeper.open(), scheduler, lost::complete));
            } catch (Exception e) {
                connection.completeExceptionally(e);
            }
        });
        return connection;
    }
}
