package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.paging.PageRequest;
import hermit.problem.FieldError;
import hermit.problem.GatewayException.Invalid;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class QueryTest {
    private static final Set<String> KNOWN = Set.of("limit", "cursor", "force", "size");

    @Test
    void every_mistake_is_named_with_what_was_probably_meant() {
        assertThatThrownBy(() -> Query.parse("limt=1&force=true&force=true&x", KNOWN))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        e -> assertThat(e.errors())
                                .containsExactly(
                                        new FieldError("limt", "unknown parameter (did you mean 'limit'?)"),
                                        new FieldError("force", "is given twice"),
                                        new FieldError("x", "unknown parameter")));
    }

    @Test
    void values_are_decoded() {
        assertThat(Query.parse("size=a%20b%2Bc", KNOWN).text("size")).contains("a b+c");
        assertThatThrownBy(() -> Query.parse("size=%zz", KNOWN)).isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> Query.parse("size=%00", KNOWN)).isInstanceOf(Invalid.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=1001",
                "limit=-1",
                "limit=",
                "limit=abc",
                "limit=1.5",
                "limit=99999999999999999999"
            })
    void a_limit_out_of_bounds_is_refused(String query) {
        assertThatThrownBy(() -> Query.parse(query, KNOWN).page(key -> !key.contains("\0")))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        e -> assertThat(e.errors().getFirst().path()).isEqualTo("limit"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cursor=", "cursor=!!", "cursor=_w", "cursor=AA", "cursor=a"})
    void a_cursor_that_no_list_gave_is_refused(String query) {
        assertThatThrownBy(() -> Query.parse(query, KNOWN).page(key -> !key.contains("\0")))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        e -> assertThat(e.errors().getFirst().path()).isEqualTo("cursor"));
    }

    @Test
    void a_page_is_asked_for_by_limit_and_cursor() {
        assertThat(Query.parse(null, KNOWN).page(key -> !key.contains("\0")))
                .isEqualTo(new PageRequest(Optional.empty(), 50));
        assertThat(Query.parse("limit=200&cursor=" + Cursors.encode("key/ü"), KNOWN)
                        .page(key -> !key.contains("\0")))
                .isEqualTo(new PageRequest(Optional.of("key/ü"), 200));
    }

    @Test
    void a_flag_is_true_or_false_and_nothing_else() {
        assertThat(Query.parse("force=true", KNOWN).flag("force")).isTrue();
        assertThat(Query.parse("force=false", KNOWN).flag("force")).isFalse();
        assertThat(Query.parse("", KNOWN).flag("force")).isFalse();
        assertThatThrownBy(() -> Query.parse("force", KNOWN).flag("force")).isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> Query.parse("force=1", KNOWN).flag("force")).isInstanceOf(Invalid.class);
    }
}
