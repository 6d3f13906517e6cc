package hermit.backend.docker;

import com.github.dockerjava.api.async.ResultCallback;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/// Follows an answer that comes in pieces. The library's own callback logs every failure with its stack before anybody
/// could say what it means.
final class Following<T> implements ResultCallback<T> {
    private final Runnable started;
    private final Consumer<T> next;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final CompletableFuture<Closeable> stream = new CompletableFuture<>();

    /// Both are called on the thread that reads the answer.
    Following(Runnable started, Consumer<T> next) {
        this.started = started;
        this.next = next;
    }

    Following(Consumer<T> next) {
        this(() -> {}, next);
    }

    /// Waits for the end, and closes the stream however this is left.
    void await() throws IOException, InterruptedException {
        try {
            over.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) throw failure;
            throw new IOException("the answer broke off", e.getCause());
        } finally {
            close();
        }
    }

    @Override
    public void onStart(Closeable closeable) {
        stream.complete(closeable);
        started.run();
    }

    @Override
    public void onNext(T piece) {
        next.accept(piece);
    }

    @Override
    public void onError(Throwable failure) {
        over.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        over.complete(null);
    }

    @Override
    public void close() {
        over.complete(null);
        // Also if the answer has yet to begin.
        var _ = stream.thenAccept(closeable -> {
            try {
                closeable.close();
            } catch (IOException _) {
                // It was given up anyway.
            }
        });
    }
}
