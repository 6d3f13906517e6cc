package hermit.command.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.command.FileRange;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RangeHeaderTest {
    @Test
    void one_range_of_each_kind_is_understood() {
        assertThat(RangeHeader.parse("bytes=2-5")).isEqualTo(new FileRange.Between(2, 5));
        assertThat(RangeHeader.parse("bytes=2-")).isEqualTo(new FileRange.From(2));
        assertThat(RangeHeader.parse("bytes=-5")).isEqualTo(new FileRange.Last(5));
        assertThat(RangeHeader.parse("bytes = 007 - 9 ")).isEqualTo(new FileRange.Between(7, 9));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"})
    void anything_else_is_no_range(String header) {
        assertThat(RangeHeader.parse(header)).isEqualTo(new FileRange.All());
    }

    @Test
    void numbers_beyond_every_file_do_not_overflow() {
        var range = RangeHeader.parse("bytes=1-99999999999999999999999");
        assertThat(range.length(10)).isEqualTo(9);
        assertThat(range.keeperLength()).hasSizeLessThanOrEqualTo(18);
        assertThat(RangeHeader.parse("bytes=99999999999999999999999-").start(10))
                .isGreaterThan(10);
        assertThat(RangeHeader.parse("bytes=-99999999999999999999999").start(10))
                .isZero();
    }

    @Test
    void a_range_ends_with_the_file() {
        assertThat(new FileRange.Between(2, 100).length(10)).isEqualTo(8);
        assertThat(new FileRange.From(2).length(10)).isEqualTo(8);
        assertThat(new FileRange.Last(3).start(10)).isEqualTo(7);
        assertThat(new FileRange.Last(3).length(10)).isEqualTo(3);
        assertThat(new FileRange.Last(0).start(10)).isEqualTo(10);
        assertThat(new FileRange.All().length(10)).isEqualTo(10);
    }
}
