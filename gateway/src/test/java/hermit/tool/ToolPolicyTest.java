package hermit.tool;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.access.Role;
import hermit.access.SecurityPolicy;
import hermit.access.SecurityPolicy.Access;
import hermit.access.SecurityPolicy.AutonomyLevel;
import hermit.tool.ToolPolicy.Verdict;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ToolPolicyTest {
    private static final Set<Tool> ACTING =
            EnumSet.of(Tool.EXEC, Tool.EXEC_BACKGROUND, Tool.WRITE_FILE, Tool.EDIT_FILE);

    @ParameterizedTest
    @EnumSource(Role.class)
    void a_readonly_agent_runs_and_writes_nothing_for_anybody(Role role) {
        var policy = policy(AutonomyLevel.READONLY, true, "exec");
        assertThat(refused(policy, role)).isEqualTo(ACTING);
    }

    @ParameterizedTest
    @EnumSource(
            value = AutonomyLevel.class,
            names = {"SUPERVISED", "FULL"})
    void guests_run_and_write_nothing_unless_that_is_switched_on(AutonomyLevel level) {
        assertThat(refused(policy(level, false), Role.GUEST)).isEqualTo(ACTING);
        assertThat(refused(policy(level, true), Role.GUEST)).isEmpty();
        assertThat(refused(policy(level, false), Role.USER)).isEmpty();
    }

    @Test
    void exec_covers_every_way_of_running_a_command_and_other_names_only_themselves() {
        assertThat(asking(policy(AutonomyLevel.SUPERVISED, true, "exec"), Role.OWNER))
                .isEqualTo(EnumSet.of(Tool.EXEC, Tool.EXEC_BACKGROUND));
        assertThat(asking(policy(AutonomyLevel.SUPERVISED, true, "exec_background", "write_file"), Role.GUEST))
                .isEqualTo(EnumSet.of(Tool.EXEC_BACKGROUND, Tool.WRITE_FILE));
        assertThat(asking(policy(AutonomyLevel.SUPERVISED, true), Role.USER)).isEmpty();
    }

    @Test
    void full_autonomy_never_asks() {
        assertThat(asking(policy(AutonomyLevel.FULL, true, "exec", "read_file"), Role.USER))
                .isEmpty();
    }

    private static Set<Tool> refused(SecurityPolicy policy, Role role) {
        return having(policy, role, Verdict.Refused.class);
    }

    private static Set<Tool> asking(SecurityPolicy policy, Role role) {
        return having(policy, role, Verdict.Ask.class);
    }

    private static Set<Tool> having(SecurityPolicy policy, Role role, Class<? extends Verdict> verdict) {
        return Stream.of(Tool.values())
                .filter(tool -> verdict.isInstance(ToolPolicy.decide(policy, role, tool)))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Tool.class)));
    }

    private static SecurityPolicy policy(AutonomyLevel level, boolean guestsMayRun, String... asks) {
        return new SecurityPolicy(Access.PRIVATE, level, List.of(asks), Optional.empty(), guestsMayRun);
    }
}
