package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.JsonTree;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `hermit quickstart`. The launcher has prepared the machine (JDK, build, Docker, an image) before this runs.
@Command(
        name = "quickstart",
        description = "From nothing to a command that runs in an agent's own sandbox. May be run again at any time.")
final class Quickstart implements Callable<Integer> {
    private static final String AGENT = "main";
    private static final String PROOF = "uname -a; id; pwd";

    private final CliContext cli;

    @Option(
            names = "--image",
            paramLabel = "IMAGE",
            description = "Image of the sandbox, if it has to be made. Default: " + Examination.USUAL_IMAGE
                    + ", or an image built on this machine where that cannot be pulled.")
    private String image = Examination.USUAL_IMAGE;

    Quickstart(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        var gateways = new Gateways(cli);
        boolean started = gateways.start();
        say("Gateway %s at %s".formatted(started ? "started" : "was already running", gateways.address()));
        GatewayClient client =
                Connection.ofThisMachine(cli.surroundings(), cli.home()).client();
        boolean created = createAgent(client);
        say("Agent '%s' %s".formatted(AGENT, created ? "created" : "was already there"));
        boolean added = addSandbox(client);
        say("Sandbox 'default' %s".formatted(added ? "added, with image " + image : "was already there"));
        JsonNode result = prove(client);
        ObjectNode document = JsonTree.object()
                .put("url", gateways.address().toString())
                .put("token_file", cli.home().tokenFile().toString())
                .put("agent", AGENT)
                .put("gateway_started", started)
                .put("agent_created", created)
                .put("sandbox_added", added);
        document.set("result", result);
        cli.output().result(document, text(gateways, result));
        return result.path("exit_code").asInt(ExitCode.NOT_RUN) == 0 ? ExitCode.OK : ExitCode.LOCAL;
    }

    private boolean createAgent(GatewayClient client) throws GatewayClientException {
        try {
            client.get(GatewayClient.path("agents", AGENT));
            return false;
        } catch (Refused e) {
            if (e.status() != 404) throw e;
        }
        // Without one, so that the image is ours to choose, whatever autoProvisionSandbox says.
        client.post(
                GatewayClient.path("agents"), JsonTree.object().put("id", AGENT).putNull("sandbox"));
        return true;
    }

    private boolean addSandbox(GatewayClient client) throws GatewayClientException {
        var sandboxes = GatewayClient.path("agents", AGENT, "sandboxes");
        for (JsonNode row : client.get(sandboxes).path("items"))
            if (row.path("alias").asText().equals(Sandboxes.DEFAULT_ALIAS)) return false;
        ObjectNode body = JsonTree.object().put("type", "docker");
        body.putObject("config").put("image", image);
        client.post(sandboxes, body);
        return true;
    }

    private JsonNode prove(GatewayClient client) throws GatewayClientException, CliFailure {
        try (var _ = BringUpProgress.watch(cli, AGENT, Sandboxes.DEFAULT_ALIAS)) {
            return client.post(
                    Sandboxes.path(AGENT, Sandboxes.DEFAULT_ALIAS, "execs"),
                    ExecRequest.ofCommand(PROOF).encoded(false).body());
        }
    }

    private void say(String line) {
        cli.output().note(line);
    }

    private String text(Gateways gateways, JsonNode result) {
        return """

                $ hermit sandbox exec -- '%s'
                %s%s
                The web UI is at %s: log in there with the admin token, which is in
                %s. The hermit command uses it by itself.

                Try ('hermit' is %s):
                  hermit sandbox exec -- 'echo hello > note; ls -l'   run something, with a shell
                  hermit sandbox exec -- uname -a                     or as exact words
                  hermit sandbox list                                 see the sandbox
                  hermit agents create helper                         make another agent
                  hermit doctor                                       check this machine
                  hermit gateway stop                                 stop the gateway
                """.formatted(
                        PROOF,
                        Output.printable(result.path("stdout").asText()),
                        Output.printable(result.path("stderr").asText()),
                        gateways.address(),
                        cli.home().tokenFile(),
                        cli.surroundings().variable("HERMIT_LAUNCHER").orElse("hermit"));
    }
}
