package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import hermit.api.JsonTree;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Base64;

/// Carries our stdin to a command that runs, piece by piece, and its end as well. The gateway answers a piece
/// when the command has room for it, so that what is read here is never far ahead of the command.
final class StdinPump implements Runnable {
    /// Most of one request: large enough that the requests cost little, and small enough to be held in
    /// memory.
    static final int PIECE = 1 << 20;

    private final GatewayClient gateway;
    private final String path;
    private final InputStream in;
    private final Reconnects reconnects;
    private final Output output;
    private final Runnable giveUp;

    /// `exec` is the path of the command. `giveUp` is run when the command cannot get all of its input: one
    /// that took the part for the whole would do the wrong thing.
    StdinPump(CliContext cli, GatewayClient gateway, String exec, Runnable giveUp) {
        this.gateway = gateway;
        this.path = exec + "/stdin";
        this.in = cli.surroundings().in();
        this.reconnects = new Reconnects(cli.surroundings().pause());
        this.output = cli.output();
        this.giveUp = giveUp;
    }

    @Override
    public void run() {
        try {
            byte[] piece = new byte[PIECE];
            for (int length = read(piece); length >= 0; length = read(piece)) {
                var data = Base64.getEncoder().encodeToString(Arrays.copyOf(piece, length));
                post(JsonTree.object().put("data", data).put("encoding", "base64"));
            }
            post(JsonTree.object().put("close", true));
        } catch (Refused e) {
            // A command that has ended, or does not read on, is none the worse for it: `yes | head -1`.
            if (!e.code().equals("conflict")) fail("pass stdin on: " + e.getMessage());
        } catch (GatewayClientException e) {
            fail("pass stdin on: " + e.getMessage());
        } catch (IOException e) {
            fail("read stdin: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// As much as is there already, at least a byte; -1 at the end.
    private int read(byte[] piece) throws IOException {
        int length = in.read(piece);
        while (length >= 0 && length < piece.length && in.available() > 0) {
            int more = in.read(piece, length, piece.length - length);
            if (more < 0) return length;
            length += more;
        }
        return length;
    }

    /// A piece that may have arrived is not sent again: the command would read it twice.
    private void post(ObjectNode piece) throws GatewayClientException, InterruptedException {
        while (true) {
            try {
                gateway.post(path, piece);
                reconnects.found();
                return;
            } catch (Unreachable e) {
                if (e.stage() != Stage.CONNECTING) throw e;
                reconnects.await(e);
            }
        }
    }

    private void fail(String why) {
        output.note(why + ". The command is cancelled");
        giveUp.run();
    }
}
