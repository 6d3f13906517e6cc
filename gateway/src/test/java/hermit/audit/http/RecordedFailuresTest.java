package hermit.audit.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.audit.http.RecordedFailures.Kind;
import hermit.world.TestWorld;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RecordedFailuresTest {
    private final TestWorld time = new TestWorld();
    private final RecordedFailures failures = new RecordedFailures(time.world().clock());

    @Test
    void an_address_has_a_hundred_at_once_and_one_more_each_second() {
        assertThat(admitted(150, "10.0.0.1", Kind.KNOWN)).isEqualTo(100);
        assertThat(failures.admits("10.0.0.2", Kind.KNOWN)).isTrue();
        assertThat(failures.leftOut("10.0.0.2")).isEmpty();
        time.advance(Duration.ofSeconds(1));
        assertThat(admitted(2, "10.0.0.1", Kind.KNOWN)).isEqualTo(1);
        assertThat(failures.leftOut("10.0.0.1")).containsEntry("failures_left_out", "51");
        assertThat(failures.leftOut("10.0.0.1")).isEmpty();
    }

    @Test
    void a_flood_from_everywhere_is_recorded_up_to_a_rate_and_hides_nothing_of_another_kind() {
        assertThat(flood(0, 5_000, Kind.ORIGIN)).isEqualTo(1_000);
        time.advance(Duration.ofHours(1));
        assertThat(flood(5_000, 9_000, Kind.ORIGIN)).isEqualTo(360);
        assertThat(failures.admits("192.0.2.1", Kind.CREDENTIALS)).isTrue();
        assertThat(failures.admits("192.0.2.1", Kind.KNOWN)).isTrue();
    }

    @Test
    void what_was_left_out_is_counted_however_many_addresses_it_came_from() {
        int recorded = flood(0, 15_000, Kind.ORIGIN);
        assertThat(recorded).isEqualTo(1_000);
        assertThat(failures.leftOut("192.0.2.1")).containsExactly(Map.entry("failures_left_out_elsewhere", "4000"));
    }

    private int admitted(int tries, String address, Kind kind) {
        return (int) IntStream.range(0, tries)
                .filter(_ -> failures.admits(address, kind))
                .count();
    }

    /// From an address of its own each.
    private int flood(int from, int to, Kind kind) {
        return (int) IntStream.range(from, to)
                .filter(i -> failures.admits("10.%d.%d.1".formatted(i >> 8, i & 0xff), kind))
                .count();
    }
}
