package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of `hermit skills`.
final class Skills {
    private Skills() {}

    /// For whom: one agent, or all.
    static final class Whom {
        @Mixin
        private AgentOption agent = new AgentOption();

        @Option(names = "--all", description = "All agents, instead of one. For the admin.")
        private boolean all;

        /// Empty for all.
        Optional<String> in(CliContext cli) throws CliFailure {
            if (all && agent.isGiven()) throw CliFailure.usage("Say for whom: either --agent or --all");
            return all ? Optional.empty() : Optional.of(agent.in(cli));
        }
    }

    private static String path(Optional<String> agent, String... rest) {
        var segments = new ArrayList<String>();
        agent.ifPresent(id -> segments.addAll(List.of("agents", id)));
        segments.add("skills");
        segments.addAll(List.of(rest));
        return GatewayClient.path(segments.toArray(String[]::new));
    }

    private static String whom(Optional<String> agent) {
        return agent.map("agent '%s'"::formatted).orElse("all agents");
    }

    @Command(
            name = "list",
            description = "Lists the skills, and which of them an agent (or with --all, everybody) has.")
    static final class ListThem implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private Whom whom = new Whom();

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode skills = cli.gateway().get(path(whom.in(cli)));
            var table = new Table("NAME", "ENABLED", "FILES", "BYTES", "DESCRIPTION");
            for (JsonNode skill : skills.path("items"))
                table.row(
                        Details.value(skill.path("name")),
                        Details.value(skill.path("enabled")),
                        Details.value(skill.path("files")),
                        Details.value(skill.path("bytes")),
                        Details.value(skill.path("description")));
            cli.output().result(skills, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    /// Exits 1 if a folder is no skill, so that a script notices.
    record Scan(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            JsonNode scanned = cli.gateway().post(path(Optional.empty(), "scan"));
            for (JsonNode refused : scanned.path("refused"))
                cli.output()
                        .note("%s: %s"
                                .formatted(
                                        Output.printable(refused.path("folder").asText()),
                                        Output.printable(refused.path("message").asText())));
            cli.output()
                    .result(
                            scanned,
                            "%d new, %d changed, %d gone, %d refused"
                                    .formatted(
                                            scanned.path("added").size(),
                                            scanned.path("changed").size(),
                                            scanned.path("removed").size(),
                                            scanned.path("refused").size()));
            return scanned.path("refused").isEmpty() ? ExitCode.OK : ExitCode.REFUSED;
        }
    }

    @Command(
            name = "enable",
            description = "Gives an agent a skill. Its sandboxes follow, those that are down when they start.")
    static final class Enable implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private Whom whom = new Whom();

        @Parameters(paramLabel = "SKILL")
        private String skill = "";

        Enable(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var agent = whom.in(cli);
            cli.gateway().post(path(agent, skill, "enable"));
            cli.output()
                    .result(done(agent, "enabled", skill), "Enabled skill '%s' for %s".formatted(skill, whom(agent)));
            return ExitCode.OK;
        }
    }

    @Command(name = "disable", description = "Takes a skill away.")
    static final class Disable implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private Whom whom = new Whom();

        @Parameters(paramLabel = "SKILL")
        private String skill = "";

        Disable(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var agent = whom.in(cli);
            cli.gateway().post(path(agent, skill, "disable"));
            cli.output()
                    .result(done(agent, "disabled", skill), "Disabled skill '%s' for %s".formatted(skill, whom(agent)));
            return ExitCode.OK;
        }
    }

    private static ObjectNode done(Optional<String> agent, String what, String skill) {
        ObjectNode done = JsonTree.object().put(what, skill);
        agent.ifPresent(id -> done.put("agent_id", id));
        return done;
    }
}
