package hermit.fake.tenki;

/// The client has ended a call, or its connection is lost.
final class ClientGone extends Exception {
    ClientGone() {
        super("the client has gone");
    }
}
