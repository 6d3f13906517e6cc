package hermit.sandbox.sql;

import static hermit.StoresUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.Racing;
import hermit.StoresUnderTest;
import hermit.StoresUnderTest.Kind;
import hermit.sandbox.SandboxId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Kind.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class LeaseStoreTest {
    private static final UUID ONE = UUID.fromString("00000000-0000-4000-8000-000000000001");
    private static final UUID TWO = UUID.fromString("00000000-0000-4000-8000-000000000002");
    private static final Instant UNTIL = NOW.plusSeconds(30);

    private final Kind kind;

    @TempDir
    Path directory;

    private StoresUnderTest stores;
    private SandboxId id;

    LeaseStoreTest(Kind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        stores = kind.open(directory);
        id = stores.sandbox(stores.agent("main"), "default").id();
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void a_lease_is_kept_from_others_until_it_runs_out() {
        assertThat(stores.leases.acquire(id, ONE, NOW, UNTIL)).isTrue();
        assertThat(stores.leases.acquire(id, TWO, UNTIL.minusNanos(1_000), UNTIL.plusSeconds(30)))
                .isFalse();
        assertThat(stores.leases.acquire(id, TWO, UNTIL, UNTIL.plusSeconds(30))).isTrue();
        assertThat(stores.leases.acquire(id, ONE, UNTIL, UNTIL.plusSeconds(30))).isFalse();
    }

    @Test
    void its_holder_renews_it() {
        stores.leases.acquire(id, ONE, NOW, UNTIL);

        assertThat(stores.leases.acquire(id, ONE, NOW.plusSeconds(10), UNTIL.plusSeconds(10)))
                .isTrue();

        assertThat(stores.leases.acquire(id, TWO, UNTIL.plusSeconds(5), UNTIL.plusSeconds(60)))
                .isFalse();
    }

    @Test
    void only_its_holder_gives_it_back() {
        stores.leases.acquire(id, ONE, NOW, UNTIL);

        stores.leases.release(id, TWO);
        assertThat(stores.leases.acquire(id, TWO, NOW, UNTIL)).isFalse();

        stores.leases.release(id, ONE);
        assertThat(stores.leases.acquire(id, TWO, NOW, UNTIL)).isTrue();
    }

    @Test
    void of_many_gateways_exactly_one_gets_it() throws Exception {
        var finish = Racing.of(Stream.generate(stores::newId)
                .limit(16)
                .map(gateway -> (Callable<Boolean>) () -> stores.leases.acquire(id, gateway, NOW, UNTIL))
                .toList());

        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results().stream().filter(Boolean::booleanValue)).hasSize(1);
    }
}
