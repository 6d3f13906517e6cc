package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// The commands of `hermit users identities`. Both show the person as they are known then.
final class UserIdentities {
    private UserIdentities() {}

    @Command(name = "add", description = "Adds what a person is known as on a channel.")
    static final class Add implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "USER_ID")
        private String id = "";

        @Mixin
        private IdentityOption identity = new IdentityOption();

        Add(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode body = JsonTree.object();
            identity.into(body);
            JsonNode user = cli.gateway().post(Users.path(id, "identities"), body);
            cli.output().result(user, Users.details(user));
            return ExitCode.OK;
        }
    }

    @Command(name = "remove", description = "Removes what a person is known as on a channel.")
    static final class Remove implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "USER_ID")
        private String id = "";

        @Mixin
        private IdentityOption identity = new IdentityOption();

        Remove(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode user = cli.gateway().delete(Users.path(id, "identities") + identity.query());
            cli.output().result(user, Users.details(user));
            return ExitCode.OK;
        }
    }
}
