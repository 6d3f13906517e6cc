package hermit.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `hermit mcp`.
@Command(
        name = "mcp",
        description = {
            "Offers an agent's tools to a client of the Model Context Protocol that starts its servers as commands.",
            "",
            "Reads JSON-RPC from stdin and writes it to stdout, a message on each line, until stdin ends. Messages for",
            "people go to stderr. A client that can speak HTTP needs no bridge: the gateway's own address of MCP is",
            "/api/agents/ID/mcp.",
            ""
        })
final class Mcp implements Callable<Integer> {
    private final CliContext cli;

    @Mixin
    private AgentOption agent = new AgentOption();

    Mcp(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        cli.output().useMessagesOnly();
        var gateway = cli.gateway().mcp(agent.in(cli));
        new McpBridge(gateway, cli.surroundings(), cli.output()).run();
        return ExitCode.OK;
    }
}
