package hermit.fake;

/// The fake itself could not do its work: a fault of this machine, not one that was asked for.
public final class FakeFailure extends RuntimeException {
    public FakeFailure(String message) {
        super(message);
    }

    public FakeFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
