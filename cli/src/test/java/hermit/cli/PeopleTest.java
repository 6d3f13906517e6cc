package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `hermit users`, `tokens` and `members`.
class PeopleTest extends CliTest {
    private static final String ANN = """
            {"id":"u1","name":"Ann","identities":[{"channel":"irc","channel_user_id":"ann","display_name":null},
            {"channel":"telegram","channel_user_id":"42","display_name":"Ann\\u202e"}],"created_at":"C1"}
            """;

    private String sent() {
        return gateway.last().body().toString();
    }

    @Test
    void people_are_listed_with_what_they_are_known_as_and_every_page() {
        gateway.on("GET /api/users?limit=1000", 200, "{\"items\":[%s],\"next_cursor\":\"u1\"}".formatted(ANN))
                .on(
                        "GET /api/users?limit=1000&cursor=u1",
                        200,
                        list("{\"id\":\"u2\",\"name\":\"Bo\",\"identities\":[],\"created_at\":\"C2\"}"));
        assertThat(hermit("users", "list").out()).isEqualTo("""
                USER ID  NAME  CREATED  KNOWN AS
                u1       Ann   C1       irc:ann, telegram:42 (Ann\\u202e)
                u2       Bo    C2       —
                """);
        assertThat(hermit("users", "list", "--json").json().path("items")).hasSize(2);
    }

    @Test
    void a_limit_ends_a_list_and_leaves_the_way_on() {
        gateway.on("GET /api/users?limit=1", 200, "{\"items\":[%s],\"next_cursor\":\"u1\"}".formatted(ANN));
        var ended = hermit("users", "list", "--limit", "1", "--json");
        assertThat(ended.json().path("next_cursor").asText()).isEqualTo("u1");
        assertThat(gateway.asked()).hasSize(1);
        assertThat(hermit("users", "list", "--limit", "0").err()).contains("--limit must be at least 1");
    }

    @Test
    void a_person_is_made_shown_and_deleted() {
        gateway.on("POST /api/users", 201, ANN)
                .on("GET /api/users/u1", 200, ANN)
                .on("DELETE /api/users/u1", 204, "");
        assertThat(hermit("users", "create", "Ann").out()).isEqualTo("Created user 'Ann' with the id u1\n");
        assertThat(sent()).isEqualTo("{\"name\":\"Ann\"}");
        assertThat(hermit("users", "show", "u1").out())
                .contains("identities  irc:ann, telegram:42 (Ann\\u202e)\n")
                .contains("created_at  C1\n");
        assertThat(hermit("users", "delete", "u1").out()).isEqualTo("Deleted user u1\n");
        assertThat(hermit("users", "delete", "u2").code()).isEqualTo(1);
    }

    @Test
    void two_people_become_one() {
        gateway.on("POST /api/users/u2/merge", 200, ANN);
        assertThat(hermit("users", "merge", "u2", "--into", "u1").out())
                .startsWith("Merged user u2 into u1\n")
                .contains("irc:ann");
        assertThat(sent()).isEqualTo("{\"into\":\"u1\"}");
        assertThat(hermit("users", "merge", "u2").err()).contains("--into");
    }

    @Test
    void identities_come_and_go() {
        gateway.on("POST /api/users/u1/identities", 200, ANN)
                .on("DELETE /api/users/u1/identities?channel=irc&channel_user_id=a%26b", 200, ANN);
        hermit("users", "identities", "add", "u1", "--channel", "telegram", "--channel-user-id", "42");
        assertThat(sent()).isEqualTo("{\"channel\":\"telegram\",\"channel_user_id\":\"42\"}");
        assertThat(hermit(
                                "users",
                                "identities",
                                "remove",
                                "u1",
                                "--channel",
                                "irc",
                                "--channel-user-id",
                                "a&b",
                                "--json")
                        .json()
                        .path("id")
                        .asText())
                .isEqualTo("u1");
    }

    @Test
    void half_an_identity_is_never_sent() {
        assertThat(hermit("users", "identities", "add", "u1", "--channel", "irc")
                        .err())
                .contains("--channel and --channel-user-id");
        assertThat(hermit("users", "identities", "add", "u1").code()).isEqualTo(2);
        assertThat(hermit("users", "identities", "remove", "u1", "--channel-user-id", "x")
                        .code())
                .isEqualTo(2);
        assertThat(hermit("users", "identities").err()).contains("One of add, remove");
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void the_secret_of_a_token_is_alone_on_stdout() {
        gateway.on(
                "POST /api/tokens",
                201,
                "{\"secret\":\"hut_s\",\"id\":\"t1\",\"kind\":\"user\",\"user_id\":\"u1\",\"name\":\"laptop\"}");
        var ended = hermit("tokens", "create", "laptop");
        assertThat(ended.out()).isEqualTo("hut_s\n");
        assertThat(ended.err()).isEqualTo("hermit: Token t1 stands for the user u1. Its secret is not shown again\n");
        assertThat(sent()).isEqualTo("{\"name\":\"laptop\"}");
        assertThat(hermit("tokens", "create", "laptop", "--json")
                        .json()
                        .path("secret")
                        .asText())
                .isEqualTo("hut_s");
    }

    @Test
    void a_token_is_for_one_holder_and_never_for_the_usual_agent_unasked() {
        env.put("HERMIT_AGENT", "main");
        gateway.on("POST /api/tokens", 201, "{\"secret\":\"s\",\"kind\":\"agent\",\"agent_uid\":\"a\"}");
        hermit("tokens", "create", "mine");
        assertThat(sent()).isEqualTo("{\"name\":\"mine\"}");
        hermit("tokens", "create", "bot", "--agent", "ada", "--expires-in-days", "90");
        assertThat(sent()).isEqualTo("{\"name\":\"bot\",\"agent_id\":\"ada\",\"expires_in_days\":90}");
        hermit("tokens", "create", "chat", "--channel", "irc");
        assertThat(sent()).isEqualTo("{\"name\":\"chat\",\"channel\":\"irc\"}");
        hermit("tokens", "create", "look", "--user", "u1", "--scope", "read");
        assertThat(sent()).isEqualTo("{\"name\":\"look\",\"user_id\":\"u1\",\"scope\":\"read\"}");
        int before = gateway.asked().size();
        assertThat(hermit("tokens", "create", "x", "--user", "u1", "--agent", "a")
                        .code())
                .isEqualTo(2);
        assertThat(hermit("tokens", "create", "x", "--expires-in-days", "soon").err())
                .contains("--expires-in-days");
        assertThat(hermit("tokens", "create").code()).isEqualTo(2);
        assertThat(gateway.asked()).hasSize(before);
    }

    @Test
    void tokens_are_listed_and_revoked() {
        gateway.on(
                        "GET /api/tokens?limit=1000",
                        200,
                        list(
                                "{\"id\":\"t1\",\"kind\":\"user\",\"user_id\":\"u1\",\"scope\":\"read\",\"hint\":\"abcd\",\"name\":\"laptop\",\"expires_at\":\"E\",\"last_used_at\":null}",
                                "{\"id\":\"t2\",\"kind\":\"channel\",\"channel\":\"irc\",\"scope\":\"full\",\"hint\":\"efgh\",\"name\":\"chat\"}",
                                "{\"id\":\"t3\",\"kind\":\"agent\",\"agent_uid\":\"a1\",\"scope\":\"full\",\"hint\":\"ijkl\",\"name\":\"ci\"}"))
                .on("DELETE /api/tokens/t1", 204, "");
        assertThat(hermit("tokens", "list").out()).isEqualTo("""
                TOKEN ID  KIND     STANDS FOR  SCOPE  ENDS WITH  EXPIRES  LAST USED  NAME
                t1        user     u1          read   abcd       E        —          laptop
                t2        channel  irc         full   efgh       —        —          chat
                t3        agent    a1          full   ijkl       —        —          ci
                """);
        assertThat(hermit("tokens", "revoke", "t1", "--json").json().toString()).isEqualTo("{\"revoked\":\"t1\"}");
    }

    private static String member(String role) {
        return "{\"user\":%s,\"role\":\"%s\",\"since\":\"S1\"}".formatted(ANN.replace("\n", ""), role);
    }

    @Test
    void members_are_those_of_the_usual_agent_or_of_the_named_one() {
        gateway.on("GET /api/agents/ada/members?limit=1000", 200, list(member("owner")))
                .on("GET /api/agents/bob/members?limit=1000", 200, list());
        env.put("HERMIT_AGENT", "ada");
        assertThat(hermit("members", "list").out()).isEqualTo("""
                USER ID  NAME  ROLE   SINCE  KNOWN AS
                u1       Ann   owner  S1     irc:ann, telegram:42 (Ann\\u202e)
                """);
        assertThat(hermit("members", "list", "--agent", "bob").out()).hasLineCount(1);
    }

    @Test
    void a_member_is_added_by_id_or_by_identity() {
        gateway.on("POST /api/agents/main/members", 200, member("user"));
        assertThat(hermit("members", "add", "u1", "--role", "user").out())
                .isEqualTo("'Ann' (u1) is user of agent 'main'\n");
        assertThat(sent()).isEqualTo("{\"role\":\"user\",\"user_id\":\"u1\"}");
        var ended = hermit(
                "members",
                "add",
                "--channel",
                "irc",
                "--channel-user-id",
                "ann",
                "--display-name",
                "Ann",
                "--role",
                "guest");
        assertThat(sent())
                .isEqualTo(
                        "{\"role\":\"guest\",\"channel\":\"irc\",\"channel_user_id\":\"ann\",\"display_name\":\"Ann\"}");
        assertThat(ended.err()).contains("were a member already");
    }

    @Test
    void whom_to_add_and_as_what_is_said_exactly_once() {
        assertThat(hermit("members", "add", "u1").err()).contains("--role");
        assertThat(hermit("members", "add", "--role", "user").err()).contains("either USER_ID, or --channel");
        assertThat(hermit("members", "add", "u1", "--channel", "irc", "--role", "user")
                        .code())
                .isEqualTo(2);
        assertThat(hermit("members", "add", "--channel", "irc", "--role", "user")
                        .err())
                .contains("--channel-user-id");
        assertThat(hermit("members", "set", "u1").err()).contains("--role");
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void a_role_is_changed_and_taken_away() {
        gateway.on("PUT /api/agents/main/members/u1", 200, member("owner"))
                .problem("DELETE /api/agents/main/members/u1", 409, "conflict", "They are the last owner");
        assertThat(hermit("members", "set", "u1", "--role", "owner").out()).contains("is owner of agent 'main'");
        assertThat(sent()).isEqualTo("{\"role\":\"owner\"}");
        var ended = hermit("members", "remove", "u1");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err()).isEqualTo("hermit: They are the last owner\n");
    }

    @Test
    void joining_takes_the_access_token_from_stdin_or_the_terminal_with_its_spaces() {
        gateway.on("POST /api/agents/main/members", 200, member("user"));
        typed(" correct horse \r\n");
        assertThat(hermit("members", "join").code()).isZero();
        assertThat(sent()).isEqualTo("{\"access_token\":\" correct horse \"}");
        prompt = question -> Optional.of(question.equals("Access token: ") ? "open sesame" : "?");
        hermit("members", "join");
        assertThat(sent()).isEqualTo("{\"access_token\":\"open sesame\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "two\nlines"})
    void what_is_no_access_token_is_never_sent(String text) {
        typed(text);
        assertThat(hermit("members", "join").err()).contains("access_token must be one line");
        assertThat(hermit("members", "join", "open sesame").code()).isEqualTo(2);
        assertThat(gateway.asked()).isEmpty();
    }
}
