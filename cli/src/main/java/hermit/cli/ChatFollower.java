package hermit.cli;

import hermit.api.GatewayClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Queue;

/// Follows a session for as long as a conversation is held, over connections that break.
final class ChatFollower implements AutoCloseable {
    /// Of a session with a long past only this much is read again.
    private static final long MOST_PAST = 1_000;

    private final ChatScreen screen;
    private final Pause pause;
    private final Thread thread;
    private volatile boolean closed;

    private ChatFollower(
            CliContext cli, ChatSession session, ChatScreen screen, ChatLog log, Queue<ChatHappening> happenings) {
        this.screen = screen;
        this.pause = cli.surroundings().pause();
        var source = session.events(Math.max(0, session.past() - MOST_PAST));
        var following = new Following(
                this::pause,
                this::note,
                source,
                (_, event) -> {
                    if (!closed) log.take(event);
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
            if (closed) return;
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
        if (!closed) screen.line(screen.dim("! " + Output.printable(message)));
    }

    private void pause(Duration time) throws InterruptedException {
        if (closed) throw new InterruptedException("the conversation is over");
        pause.of(time);
    }

    /// Does not wait for the thread: it shows nothing more, and a virtual one keeps no process alive.
    @Override
    public void close() {
        closed = true;
        // It waits for the next event on a socket, which an interrupt closes under a virtual thread.
        thread.interrupt();
    }
}
