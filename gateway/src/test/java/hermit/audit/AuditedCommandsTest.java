package hermit.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.StoresUnderTest;
import hermit.StoresUnderTest.Kind;
import hermit.command.ExecRecord;
import hermit.command.Outcome;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.world.TestWorld;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class AuditedCommandsTest {
    private static final String TEXT = "echo 'ä' \"$HOME\"";

    private final Kept kept = new Kept();
    private final Audit audit = new Audit(kept, new UUID(1, 1), new TestWorld().world());
    private final StoresUnderTest stores = Kind.MEMORY.open(Path.of(""));
    private final List<ExecRecord> execs = new ArrayList<>();

    @BeforeEach
    void a_command() {
        execs.add(
                stores.newExec(stores.sandbox(stores.agent("main"), "default"), Optional.empty(), StoresUnderTest.NOW));
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void the_text_is_recorded_unless_the_operator_wants_its_digest_only() {
        commands(true).starting(execs.getFirst());
        commands(false).starting(execs.getFirst());
        assertThat(kept.entries.get(0).details()).containsEntry("command", TEXT);
        assertThat(kept.entries.get(1).details()).doesNotContainKey("command");
        assertThat(kept.entries)
                .extracting(each -> each.details().get("command_sha256"))
                .containsOnly(AuditRecord.sha256(TEXT));
        assertThat(kept.entries.get(1).details().values()).noneMatch(each -> each.contains("echo"));
    }

    @Test
    void a_command_that_cannot_be_recorded_is_kept_from_starting_and_an_end_is_not_undone() {
        kept.away = true;
        assertThatThrownBy(() -> commands(true).starting(execs.getFirst())).isInstanceOf(BackendUnavailable.class);
        var ended = execs.getFirst()
                .ended(Outcome.notStarted("internal", "for a test", StoresUnderTest.NOW), 0, 0, List.of());
        assertThatCode(() -> commands(true).ended(ended)).doesNotThrowAnyException();
        assertThat(kept.entries).isEmpty();
    }

    @Test
    void the_agent_is_known_also_of_a_sandbox_that_was_deleted_and_a_lost_row_is_no_failure() {
        stores.sandboxes.delete(execs.getFirst().sandboxId(), StoresUnderTest.NOW);
        commands(true).starting(execs.getFirst());
        assertThat(kept.entries.getFirst().target()).startsWith("/api/agents/main/sandboxes/default/execs/");
        assertThat(kept.entries.getFirst().agentUid()).isPresent();
        new AuditedCommands(audit, _ -> Optional.empty(), true).starting(execs.getFirst());
        assertThat(kept.entries.getLast().target())
                .isEqualTo(execs.getFirst().id().toString());
    }

    @Test
    void whose_a_sandbox_is_is_asked_once() {
        var asked = new AtomicInteger();
        var commands = new AuditedCommands(
                audit,
                id -> {
                    asked.incrementAndGet();
                    return stores.sandboxes.find(id);
                },
                true);
        commands.starting(execs.getFirst());
        commands.ended(execs.getFirst());
        assertThat(asked).hasValue(1);
        assertThat(kept.entries)
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.target()).startsWith("/api/agents/main/sandboxes/default/execs/"));
    }

    private AuditedCommands commands(boolean withText) {
        return new AuditedCommands(audit, stores.sandboxes::find, withText);
    }

    /// Keeps entries, or is away.
    private static final class Kept implements AuditStore {
        private final List<AuditEntry> entries = new ArrayList<>();
        private boolean away;

        @Override
        public AuditRecord append(UUID gateway, AuditEntry entry) {
            if (away) throw new BackendUnavailable("Could not add to the audit");
            entries.add(entry);
            return AuditRecord.after(entries.size() - 1L, AuditRecord.NOTHING_BEFORE, gateway, entry);
        }

        @Override
        public boolean isKey(String text) {
            return false;
        }

        @Override
        public Page<AuditRecord> list(AuditFilter filter, PageRequest page) {
            return new Page<>(List.of(), Optional.empty());
        }

        @Override
        public List<AuditChain> chains() {
            return List.of();
        }

        @Override
        public List<AuditRecord> after(UUID gateway, long number, int limit) {
            return List.of();
        }

        @Override
        public int prune(Instant before, int most) {
            return 0;
        }
    }
}
