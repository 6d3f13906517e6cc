package hermit.ui;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.ui.UiFiles.Form;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CodingsTest {
    @Test
    void the_smallest_that_is_named_is_taken() {
        assertThat(Codings.best("gzip, deflate, br, zstd")).isEqualTo(Form.BROTLI);
        assertThat(Codings.best("GZIP;q=0.1,deflate")).isEqualTo(Form.GZIP);
        assertThat(Codings.best("gzip;q=1.0, br ; q=0.5")).isEqualTo(Form.BROTLI);
    }

    @Test
    void what_is_refused_or_not_named_is_not_taken() {
        assertThat(Codings.best("br;q=0, gzip; q=0.000")).isEqualTo(Form.PLAIN);
        assertThat(Codings.best("")).isEqualTo(Form.PLAIN);
        assertThat(Codings.best("*")).isEqualTo(Form.PLAIN);
        assertThat(Codings.best("brotli, xgzip")).isEqualTo(Form.PLAIN);
    }
}
