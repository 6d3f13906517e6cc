package hermit.http;

/// Writes the events of one stream, in order, and returns after the last one. An interrupt means that nobody listens
/// any more or that the server is closing.
@FunctionalInterface
public interface EventSource {
    void run(EventStream stream) throws InterruptedException;
}
