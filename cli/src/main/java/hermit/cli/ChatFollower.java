package hermit.cli;

import hermit.api.GatewayClientEvents;
import hermit.api.GatewayClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;

/// Follows a session for as long as a conversation is held, over connections that break.
final class ChatFollower implements AutoCloseable {
    /// Of a session with a long past only this much is read again.
    private static final long MOST_PAST = 1_000;

    private final ChatScreen screen;
    private final Pause pause;
    private final Thread thread;
    private final Object lock = new Object();
    private Optional<GatewayClientEvents> connection = Optional.empty();
    private boolean closed;

    private ChatFollower(
            CliContext cli, ChatSession session, ChatScreen screen, ChatLog log, Queue<ChatHappening> happenings) {
        this.screen = screen;
        this.pause = cli.surroundings().pause();
        var source = session.events(Math.max(0, session.past() - MOST_PAST));
        var following = new Following(
                this::pause,
                this::note,
                last -> opened(source.open(last)),
                (_, event) -> {
                    if (!isClosed()) log.take(event);
                },
                (_, _) -> false);
        this.thread = Thread.ofVirtual().name("follow the session").unstarted(() -> follow(following, happenings));
    }

    static ChatFollower start(
            CliContext cli, ChatSession session, ChatScreen screen, ChatLog log, Queue<ChatHappening> happenings) {
        var follower = new ChatFollower(cli, session, screen, log, happenings);
        follower.thread.start();
        return follower;
    }

    private void follow(Following following, Queue<ChatHappening> happenings) {
        try {
            following.toTheEnd();
        } catch (GatewayClientException e) {
            if (isClosed()) return;
            happenings.add(new ChatHappening.Lost(e));
            screen.giveUpReading();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // Nothing that reads events here does any other input or output.
            throw new UncheckedIOException(e);
        }
    }

    private void note(String message) {
        if (!isClosed()) screen.line(screen.dim("! " + Output.printable(message)));
    }

    private void pause(Duration time) throws InterruptedException {
        if (isClosed()) throw new InterruptedException("the conversation is over");
        pause.of(time);
    }

    private GatewayClientEvents opened(GatewayClientEvents events) {
        synchronized (lock) {
            if (closed) events.close();
            connection = Optional.of(events);
            return events;
        }
    }

    private boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    /// Does not wait for the thread: it shows nothing more, and a virtual one keeps no process alive.
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            connection.ifPresent(GatewayClientEvents::close);
        }
        thread.interrupt();
    }
}
