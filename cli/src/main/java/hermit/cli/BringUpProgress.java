package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Says, in one changing line on the terminal, what a sandbox is being brought up with: an image that is
/// pulled, a container that starts. The gateway tells it in the row's `runtime.detail`.
final class BringUpProgress implements AutoCloseable {
    /// A warm sandbox answers sooner than this, and then nothing is asked and nothing shown.
    private static final long EVERY_MILLIS = 700;

    private static final String CLEAR_LINE = "\r\033[K";

    private final GatewayClient gateway;
    private final String row;
    private final Output output;
    private final CountDownLatch done = new CountDownLatch(1);
    private String shown = "";

    BringUpProgress(GatewayClient gateway, String row, Output output) {
        this.gateway = gateway;
        this.row = row;
        this.output = output;
    }

    /// Looks on until closed, if stderr is a terminal; otherwise there is nobody to show it to.
    static BringUpProgress watch(CliContext cli, String agent, String alias) throws CliFailure {
        var progress = new BringUpProgress(cli.gateway(), Sandboxes.path(agent, alias), cli.output());
        if (cli.surroundings().errIsTerminal()) Thread.ofVirtual().start(progress::lookOn);
        return progress;
    }

    private void lookOn() {
        try {
            while (!done.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) look();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Asks once, and shows what is new.
    void look() {
        try {
            JsonNode runtime = gateway.get(row).path("runtime");
            show(runtime.path("detail").asText(""));
        } catch (GatewayClientException e) {
            // Only a comment on the call that is running, which will say itself what is wrong.
            show("");
        }
    }

    private synchronized void show(String detail) {
        if (done.getCount() == 0 || detail.equals(shown)) return;
        output.status(CLEAR_LINE + Output.printable(detail).replace('\n', ' '));
        shown = detail;
    }

    @Override
    public void close() {
        isUp();
    }

    /// There is nothing to wait for any more.
    synchronized void isUp() {
        done.countDown();
        if (!shown.isEmpty()) output.status(CLEAR_LINE);
        shown = "";
    }
}
