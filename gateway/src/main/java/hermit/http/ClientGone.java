package hermit.http;

import java.io.IOException;

/// The client has closed the connection: there is nobody left to answer, and nothing went wrong here.
public final class ClientGone extends RuntimeException {
    ClientGone(IOException cause) {
        super("The client has gone away", cause);
    }

    ClientGone() {
        super("The client has gone away");
    }
}
