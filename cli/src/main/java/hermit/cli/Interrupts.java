package hermit.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Ctrl-C, and the other ways in which this process is asked to end.
interface Interrupts {
    /// How long an interrupted process waits for the command's end before it leaves all the same. A command
    /// that runs is dead after 2 s; one that waits for its sandbox can be cancelled only when that is up.
    int LAST_WORDS_SECONDS = 60;

    /// Runs `action` once if the process is asked to end before the guard is closed.
    Guard guard(Runnable action);

    interface Guard extends AutoCloseable {
        /// The work is done; nothing is left to interrupt.
        @Override
        void close();
    }

    /// Through a shutdown hook: the JVM runs it at SIGINT, SIGTERM and SIGHUP, once, and then exits with 128
    /// + the signal. A second signal does not wait any longer.
    static Interrupts ofThisProcess() {
        return action -> {
            var done = new CountDownLatch(1);
            var hook = new Thread(() -> {
                Signals.whenAsked("INT", () -> Runtime.getRuntime().halt(130));
                Signals.whenAsked("TERM", () -> Runtime.getRuntime().halt(143));
                action.run();
                try {
                    done.await(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Runtime.getRuntime().addShutdownHook(hook);
            return () -> {
                done.countDown();
                try {
                    Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // The hook is running: it has just been told that the work is done.
                    return;
                }
            };
        };
    }
}
