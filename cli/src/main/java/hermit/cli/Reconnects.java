package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import java.time.Duration;
import java.util.List;

/// How a gateway that was lost is looked for again: for about a minute, in growing steps. One that restarts
/// is back in one to ten seconds, and a laptop that wakes up has its network in less than a minute.
final class Reconnects {
    private static final List<Duration> PAUSES = List.of(
            Duration.ofMillis(250),
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10));

    /// How many tries there are.
    static final int MOST = PAUSES.size();

    private final Pause pause;
    private int made;

    Reconnects(Pause pause) {
        this.pause = pause;
    }

    /// It was there again: the next loss is a new one.
    void found() {
        made = 0;
    }

    /// Whether this loss is a new one, that nobody has been told of.
    boolean first() {
        return made == 0;
    }

    /// Waits until it is time for the next try.
    ///
    /// @throws GatewayClientException `why`, when there have been enough of them
    void await(GatewayClientException why) throws GatewayClientException, InterruptedException {
        // It has the request, and is busy with it: asking again is no failed try.
        if (why instanceof Unreachable lost && lost.stage() == Stage.WAITING) return;
        if (made == MOST) throw why;
        pause.of(PAUSES.get(made));
        made++;
    }

    /// Sends a request that may be sent twice, until it is answered. A first try that reaches nobody is not
    /// followed by another.
    JsonNode post(GatewayClient gateway, String path, JsonNode body)
            throws GatewayClientException, InterruptedException {
        boolean reached = false;
        while (true) {
            try {
                return gateway.post(path, body);
            } catch (Unreachable e) {
                reached |= e.stage() != Stage.CONNECTING;
                if (!reached) throw e;
                await(e);
            } catch (Refused e) {
                if (!reached || !maySoonChange(e)) throw e;
                await(e);
            }
        }
    }

    /// Whether this answer may be another one in a moment: the gateway is starting, or one in between does
    /// not reach it.
    static boolean maySoonChange(Refused refused) {
        return switch (refused.status()) {
            case 429, 500, 502, 503, 504 -> true;
            // "Not watched by this gateway right now": it is still finding its commands again.
            case 409 -> refused.code().equals("conflict");
            default -> false;
        };
    }
}
