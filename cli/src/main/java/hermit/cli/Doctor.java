package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.cli.Finding.State;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// `hermit doctor`.
@Command(name = "doctor", description = "Checks all that Hermit needs on this machine. Exits 5 if something is wrong.")
final class Doctor implements Callable<Integer> {
    private final CliContext cli;

    Doctor(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        List<Finding> findings = new Examination(cli).all();
        boolean well = findings.stream().noneMatch(finding -> finding.state() == State.FAILED);
        ObjectNode document = GatewayClient.JSON.createObjectNode().put("ok", well);
        var checks = document.putArray("checks");
        var table = new Table("CHECK", "STATE", "DETAIL");
        for (Finding finding : findings) {
            checks.addObject()
                    .put("name", finding.name())
                    .put("state", finding.state().toString())
                    .put("detail", finding.detail());
            table.row(finding.name(), finding.state().toString(), finding.detail());
        }
        cli.output().result(document, table.render(cli.output().colours()));
        return well ? ExitCode.OK : ExitCode.LOCAL;
    }
}
