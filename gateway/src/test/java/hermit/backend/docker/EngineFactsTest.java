package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class EngineFactsTest {
    @Test
    void a_rootless_engine_and_one_that_remaps_say_so_among_their_security_options() {
        assertThat(EngineFacts.mapsUsers(List.of("name=seccomp,profile=default", "name=rootless")))
                .isTrue();
        assertThat(EngineFacts.mapsUsers(List.of("name=userns"))).isTrue();
        assertThat(EngineFacts.mapsUsers(List.of("name=apparmor", "name=seccomp,profile=default", "name=cgroupns")))
                .isFalse();
        assertThat(EngineFacts.mapsUsers(List.of())).isFalse();
    }
}
