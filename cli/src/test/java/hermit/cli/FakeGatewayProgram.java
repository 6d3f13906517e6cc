package hermit.cli;

import hermit.api.JsonTree;
import java.nio.file.Files;
import java.nio.file.Path;

/// A process that answers `/ready` where the `gateway.json` of its home says, until it is told to end.
final class FakeGatewayProgram {
    private FakeGatewayProgram() {}

    public static void main(String[] args) throws Exception {
        var config = Path.of(System.getenv("HERMIT_HOME"), "gateway.json");
        int port = JsonTree.parse(Files.readAllBytes(config))
                .path("server")
                .path("port")
                .asInt();
        new FakeGateway(port).on("GET /ready", Integer.parseInt(args[0]), args[1]);
        System.out.println("listening");
        Thread.currentThread().join();
    }
}
