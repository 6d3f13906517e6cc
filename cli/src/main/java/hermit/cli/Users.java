package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of `hermit users`, but for `identities`.
final class Users {
    private Users() {}

    static String path(String id, String... rest) {
        var segments = new ArrayList<String>();
        segments.add("users");
        segments.add(id);
        segments.addAll(List.of(rest));
        return GatewayClient.path(segments.toArray(String[]::new));
    }

    /// What a person is known as on channels, such as `telegram:42, matrix:@ann (Ann)`.
    static String knownAs(JsonNode user) {
        var known = new ArrayList<String>();
        for (JsonNode each : user.path("identities")) {
            var name = each.path("display_name");
            known.add("%s:%s%s"
                    .formatted(
                            each.path("channel").asText(),
                            each.path("channel_user_id").asText(),
                            name.isTextual() ? " (" + name.asText() + ")" : ""));
        }
        return known.isEmpty() ? "—" : String.join(", ", known);
    }

    static String details(JsonNode user) {
        ObjectNode shown = user instanceof ObjectNode document ? document.deepCopy() : JsonTree.object();
        return Details.of(shown.put("identities", knownAs(user)));
    }

    @Command(name = "list", description = "Lists people.")
    static final class ListThem implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private LimitOption limit = new LimitOption();

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode users = cli.list(GatewayClient.path("users"), "", limit.most());
            var table = new Table("USER ID", "NAME", "CREATED", "KNOWN AS");
            for (JsonNode user : users.path("items"))
                table.row(
                        Details.value(user.path("id")),
                        Details.value(user.path("name")),
                        Details.value(user.path("created_at")),
                        knownAs(user));
            cli.output().result(users, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(name = "create", description = "Makes a person. Give them a token with 'hermit tokens create'.")
    static final class Create implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "NAME", description = "What people call them.")
        private String name = "";

        Create(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode user = cli.gateway()
                    .post(GatewayClient.path("users"), JsonTree.object().put("name", name));
            cli.output()
                    .result(
                            user,
                            "Created user '%s' with the id %s"
                                    .formatted(
                                            Output.printable(name),
                                            user.path("id").asText()));
            return ExitCode.OK;
        }
    }

    @Command(name = "show", description = "Shows one person.")
    static final class Show implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "USER_ID")
        private String id = "";

        Show(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode user = cli.gateway().get(path(id));
            cli.output().result(user, details(user));
            return ExitCode.OK;
        }
    }

    @Command(name = "delete", description = "Deletes a person: their tokens open nothing any more.")
    static final class Delete implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "USER_ID")
        private String id = "";

        Delete(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            cli.gateway().delete(path(id));
            cli.output().result(JsonTree.object().put("deleted", id), "Deleted user %s".formatted(id));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "merge",
            description = "Makes one person out of two: identities, tokens and memberships of USER_ID go to the other.")
    static final class Merge implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "USER_ID", description = "The one that is deleted.")
        private String id = "";

        @Option(names = "--into", paramLabel = "USER_ID", required = true, description = "The one that is left.")
        private String into = "";

        Merge(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode user =
                    cli.gateway().post(path(id, "merge"), JsonTree.object().put("into", into));
            cli.output().result(user, "Merged user %s into %s\n".formatted(id, into) + details(user));
            return ExitCode.OK;
        }
    }
}
