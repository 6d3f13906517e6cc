package hermit.backend.keeper;

import hermit.exec.MachineGone;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A machine whose keeper does what a test says. Bridges are socket pairs; the test holds the keeper's end of each.
final class FakeKeeper implements AutoCloseable {
    private final BlockingQueue<KeeperEnd> opened = new LinkedBlockingQueue<>();
    private final List<KeeperEnd> all = new ArrayList<>();
    private Optional<String> gone = Optional.empty();
    private Optional<String> unreachable = Optional.empty();
    private int attempts;
    private UUID boot = UUID.randomUUID();

    /// For the gateway.
    synchronized Bridge open() throws MachineGone, IOException {
        attempts++;
        if (gone.isPresent()) throw new MachineGone(gone.get());
        if (unreachable.isPresent()) throw new IOException(unreachable.get());
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var near = new Socket(server.getInetAddress(), server.getLocalPort());
            var end = new KeeperEnd(server.accept(), boot);
            all.add(end);
            opened.add(end);
            return new SocketBridge(near);
        }
    }

    /// The keeper's end of the next bridge, which has not greeted yet.
    KeeperEnd silentBridge() throws InterruptedException {
        var end = opened.poll(10, TimeUnit.SECONDS);
        if (end == null) throw new AssertionError("no bridge was opened");
        return end;
    }

    /// The keeper's end of the next bridge, which greets, answers pings, and captures the login environment.
    KeeperEnd bridge() throws InterruptedException {
        var end = silentBridge();
        end.greet();
        return end;
    }

    /// From now on the machine is not there.
    synchronized void gone(String why) {
        gone = Optional.of(why);
    }

    /// From now on it cannot be reached.
    synchronized void unreachable(String why) {
        unreachable = Optional.of(why);
    }

    synchronized void reachable() {
        unreachable = Optional.empty();
        gone = Optional.empty();
    }

    /// The machine starts anew: bridges from now on lead to another keeper.
    synchronized void reboot() {
        boot = UUID.randomUUID();
    }

    synchronized int attempts() {
        return attempts;
    }

    @Override
    public synchronized void close() {
        all.forEach(KeeperEnd::close);
    }
}
