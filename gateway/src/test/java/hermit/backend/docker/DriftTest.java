package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.backend.docker.FoundContainer.State;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DriftTest {
    private static FoundContainer in(State state, int exitCode) {
        return new FoundContainer("id", "name", state, exitCode, "", Map.of(Labels.CONFIG, "wanted"), Map.of());
    }

    private static Drift of(FoundContainer container, String config, boolean thoughtUp) {
        return Drift.of(Optional.of(container), true, config, thoughtUp);
    }

    @Test
    void nothing_is_absent() {
        assertThat(Drift.of(Optional.empty(), false, "wanted", true)).isInstanceOf(Drift.Absent.class);
    }

    @Test
    void what_is_not_ours_is_foreign_in_any_state() {
        for (State state : State.values())
            assertThat(Drift.of(Optional.of(in(state, 0)), false, "wanted", false))
                    .isInstanceOf(Drift.Foreign.class);
    }

    @Test
    void another_config_makes_it_unfit_in_any_state() {
        for (State state : State.values())
            assertThat(of(in(state, 0), "other", false)).isInstanceOf(Drift.Unfit.class);
    }

    @Test
    void the_state_decides_the_rest() {
        assertThat(of(in(State.RUNNING, 0), "wanted", false)).isInstanceOf(Drift.None.class);
        assertThat(of(in(State.PAUSED, 0), "wanted", false)).isInstanceOf(Drift.Paused.class);
        assertThat(of(in(State.DEAD, 0), "wanted", false)).isInstanceOf(Drift.Unfit.class);
        assertThat(of(in(State.REMOVING, 0), "wanted", false)).isInstanceOf(Drift.Unfit.class);
        assertThat(of(in(State.CREATED, 0), "wanted", false)).isEqualTo(new Drift.Stopped(in(State.CREATED, 0), false));
    }

    @Test
    void a_stop_is_unexpected_if_it_was_thought_up_or_did_not_end_in_order() {
        assertThat(of(in(State.EXITED, 143), "wanted", false))
                .isEqualTo(new Drift.Stopped(in(State.EXITED, 143), false));
        assertThat(of(in(State.EXITED, 0), "wanted", false)).isEqualTo(new Drift.Stopped(in(State.EXITED, 0), false));
        assertThat(of(in(State.EXITED, 143), "wanted", true)).isEqualTo(new Drift.Stopped(in(State.EXITED, 143), true));
        assertThat(of(in(State.EXITED, 137), "wanted", false))
                .isEqualTo(new Drift.Stopped(in(State.EXITED, 137), true));
    }
}
