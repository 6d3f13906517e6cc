package hermit.fake.tenki;

import io.grpc.Status;

/// A call that is answered with a status instead of a message.
final class Refused extends Exception {
    private final Status.Code code;

    Refused(Status.Code code, String message) {
        super(message);
        this.code = code;
    }

    Status.Code code() {
        return code;
    }
}
