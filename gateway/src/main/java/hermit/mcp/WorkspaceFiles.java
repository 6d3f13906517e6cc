package hermit.mcp;

import hermit.command.FileInfo;
import hermit.command.SandboxFiles;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxStore;
import hermit.session.Actor;
import hermit.session.Sessions.Entered;
import hermit.tool.Tool;
import hermit.tool.ToolPolicy;
import hermit.tool.ToolPolicy.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The files that clients are shown without having asked for any: those in the homes of an agent's sandboxes that are
/// up. Clients ask for them as soon as they connect, and nobody wants a machine to be brought up by that. Any other
/// file can be read by its name.
public final class WorkspaceFiles {
    private static final Logger log = LoggerFactory.getLogger(WorkspaceFiles.class);

    private static final int PAGE = 100;

    /// Sorts after every name.
    private static final String END_OF_NAMES = "\uFFFF";

    private final SandboxStore sandboxes;
    private final Machines machines;
    private final SandboxFiles files;

    public WorkspaceFiles(SandboxStore sandboxes, Machines machines, SandboxFiles files) {
        this.sandboxes = sandboxes;
        this.machines = machines;
        this.files = files;
    }

    public record WorkspaceFile(ResourceUri uri, FileInfo info) {}

    /// The next of them, by sandbox and name. Empty where listing would ask a person first. `after`: [Page#next] of the
    /// last page.
    public Page<WorkspaceFile> list(Entered entered, Optional<String> after) throws InterruptedException {
        Actor actor = entered.actor();
        var verdict = ToolPolicy.decide(actor.agent().policy(), actor.role(), Tool.LIST_FILES);
        if (!(verdict instanceof Verdict.Allowed)) return new Page<>(List.of(), Optional.empty());
        Optional<Position> from = after.map(Position::parse);
        var rows = new ArrayList<>(sandboxes.ofAgent(actor.agent().agentUid()));
        rows.sort(Comparator.comparing(row -> row.alias().value()));
        for (Sandbox row : rows) {
            int order = from.map(each -> row.alias().value().compareTo(each.alias.value()))
                    .orElse(1);
            if (order < 0 || !machines.isUp(row.id())) continue;
            var page = new PageRequest(order == 0 ? from.map(Position::name) : Optional.empty(), PAGE);
            Page<FileInfo> found = home(row, page);
            // Of a sandbox with nothing more to show, the next one is shown at once.
            if (found.items().isEmpty() && found.next().isEmpty()) continue;
            String last = found.next().orElse(END_OF_NAMES);
            boolean isLast = found.next().isEmpty() && row.equals(rows.getLast());
            var shown = found.items().stream()
                    .filter(each -> each.type() == FileInfo.Type.FILE)
                    .map(each -> new WorkspaceFile(new ResourceUri(row.alias(), each.path()), each))
                    .toList();
            return new Page<>(
                    shown, isLast ? Optional.empty() : Optional.of(new Position(row.alias(), last).toString()));
        }
        return new Page<>(List.of(), Optional.empty());
    }

    private Page<FileInfo> home(Sandbox row, PageRequest page) throws InterruptedException {
        try {
            return files.list(row.agentId(), row.alias(), row.config().agentHome(), page);
        } catch (GatewayException e) {
            log.debug("the files of sandbox {} cannot be listed: {}", row.id(), e.detail());
            return new Page<>(List.of(), Optional.empty());
        }
    }

    /// Where a page ended.
    private record Position(Alias alias, String name) {
        static Position parse(String text) {
            int slash = text.indexOf('/');
            if (slash < 0 || !Alias.PATTERN.matcher(text.substring(0, slash)).matches())
                throw new Invalid("cursor", "is not one that was given out");
            return new Position(new Alias(text.substring(0, slash)), text.substring(slash + 1));
        }

        @Override
        public String toString() {
            return alias + "/" + name;
        }
    }
}
