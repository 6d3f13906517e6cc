package hermit.http;

/// Answers the requests of one route. Runs on a virtual thread of its own and may block; an interrupt means that the
/// server is closing. Refusals are thrown as [hermit.problem.GatewayException].
@FunctionalInterface
public interface Handler {
    Reply handle(Request request) throws InterruptedException;
}
