package hermit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PostgresUrlTest {
    @Test
    void user_password_and_options_are_decoded_and_the_password_stays_out_of_the_address() throws Exception {
        var settings = PostgresUrl.parse(
                "postgres://her%6Dit:p%40ss%2Fw+rd%25@db.example:5433/my%20db?sslmode=verify-full&connect_timeout=5");

        assertThat(settings)
                .isEqualTo(new DatabaseSettings.Postgresql(
                        "jdbc:postgresql://db.example:5433/my%20db?sslmode=verify-full&connectTimeout=5",
                        "hermit", new Secret("p@ss/w+rd%")));
        assertThat(settings.describe())
                .startsWith("postgresql://db.example:5433/")
                .doesNotContain("ss/w");
        assertThat(settings.toString()).doesNotContain("ss/w");
    }

    @Test
    void the_port_has_a_default_and_ipv6_keeps_its_brackets() throws Exception {
        assertThat(PostgresUrl.parse("postgresql://u:p@[::1]/d").jdbcUrl()).isEqualTo("jdbc:postgresql://[::1]:5432/d");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://u:s3cret@h/d",
                "s3cret",
                "postgres:s3cret",
                "postgres:///d?password=s3cret",
                "postgres://u:s3cret@h",
                "postgres://u:s3cret@h/",
                "postgres://u:s3cret@h/a/b",
                "postgres://u@h/s3cret",
                "postgres://:s3cret@h/d",
                "postgres://u:@h/s3cret",
                "postgres://u:s3cret%zz@h/d",
                "postgres://u:s3cret#x@h/d",
                "postgres://u:s3cret x@h/d",
                "postgres://u:s3cret@h:99999/d",
                "postgres://u:s3cret@h:port/d",
                "postgres://u:s3cret@h1,h2/d",
                "postgres://u:s3cret@h/d?sslmod=require",
                "postgres://u:s3cret@h/d?socketFactory=s3cret",
                "postgres://u:s3cret@h/d?sslmode"
            })
    void a_malformed_address_is_refused_without_being_shown(String url) {
        assertThatThrownBy(() -> PostgresUrl.parse(url))
                .isInstanceOf(PostgresUrl.Malformed.class)
                .message()
                .doesNotContain("s3cret");
    }

    @Test
    void an_unknown_option_is_answered_with_the_nearest() {
        assertThatThrownBy(() -> PostgresUrl.parse("postgres://u:p@h/d?sslmod=require"))
                .hasMessageContaining("did you mean 'sslmode'");
    }
}
