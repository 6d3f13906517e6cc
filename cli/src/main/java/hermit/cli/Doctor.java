package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import hermit.cli.Finding.State;
import java.util.List;
import java.util.concurrent.Callable;

/// `hermit doctor`.
record Doctor(CliContext cli) implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
        List<Finding> findings = new Examination(cli).all();
        boolean well = findings.stream().noneMatch(finding -> finding.state() == State.FAILED);
        ObjectNode document = JsonTree.object().put("ok", well);
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
