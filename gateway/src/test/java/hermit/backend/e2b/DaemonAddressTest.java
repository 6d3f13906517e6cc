package hermit.backend.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.backend.cloud.CloudMachine;
import hermit.config.CloudSettings;
import hermit.config.Secret;
import hermit.exec.LiveState.State;
import hermit.problem.GatewayException.ProviderError;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DaemonAddressTest {
    private static String base(
            Optional<String> api, Optional<String> domain, Optional<String> sandboxUrl, Map<String, String> access) {
        var settings = new CloudSettings.E2b(
                Optional.of(new Secret("e2b_x")),
                api.map(URI::create),
                Optional.empty(),
                domain,
                sandboxUrl.map(URI::create));
        var machine = new CloudMachine("iabc", State.RUNNING, "running", Map.of(), Optional.empty(), access);
        return DaemonAddress.of(settings, machine).base().toString();
    }

    private static final Optional<String> NONE = Optional.empty();

    @Test
    void the_host_name_says_which_sandbox_is_meant() {
        assertThat(base(NONE, NONE, NONE, Map.of())).isEqualTo("https://49983-iabc.e2b.app");
        assertThat(base(NONE, Optional.of("e2b.example"), NONE, Map.of())).isEqualTo("https://49983-iabc.e2b.example");
    }

    @Test
    void what_the_provider_says_of_the_domain_wins_over_the_configured_one_and_an_address_over_both() {
        var said = Map.of("domain", "eu.example");
        assertThat(base(NONE, Optional.of("e2b.example"), NONE, said)).isEqualTo("https://49983-iabc.eu.example");
        assertThat(base(NONE, Optional.of("e2b.example"), Optional.of("http://10.0.0.1:5007/x"), said))
                .isEqualTo("http://10.0.0.1:5007/x");
    }

    @Test
    void a_token_of_a_control_plane_of_ones_own_is_not_carried_to_the_public_domain() {
        assertThatThrownBy(() -> base(Optional.of("https://e2b.internal"), NONE, NONE, Map.of()))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("set E2B_DOMAIN or E2B_SANDBOX_URL");
        assertThat(base(Optional.of("https://e2b.internal"), NONE, NONE, Map.of("domain", "boxes.internal")))
                .isEqualTo("https://49983-iabc.boxes.internal");
    }

    @Test
    void a_domain_that_is_none_is_refused() {
        for (String bad : new String[] {"a/b", "evil.example/#", "x@y", "a b"})
            assertThatThrownBy(() -> base(NONE, NONE, NONE, Map.of("domain", bad)))
                    .isInstanceOf(ProviderError.class);
    }

    @Test
    void the_daemons_version_says_how_it_takes_files() {
        for (var each : Map.of(
                        "0.5.7", true, "0.6.13", true, "1.0", true, "0.5.6", false, "0.4.12", false, "odd", false)
                .entrySet())
            assertThat(new DaemonAddress(URI.create("http://x"), "i", Optional.empty(), Optional.of(each.getKey()))
                            .takesRawFiles())
                    .as(each.getKey())
                    .isEqualTo(each.getValue());
    }
}
