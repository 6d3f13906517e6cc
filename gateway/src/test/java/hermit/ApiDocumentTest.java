package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.api.ApiJson;
import hermit.api.ExecResult;
import hermit.api.Problem;
import hermit.problem.ProblemCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/// `docs/api.md` against the gateway: nothing in it is only nearly right.
@DisplayNameGeneration(ReplaceUnderscores.class)
class ApiDocumentTest {
    private static final Path PAGE = Path.of("../docs/api.md");
    private static final Pattern REQUEST = Pattern.compile("([A-Z]+) (\\S+)\\s*(.*)", Pattern.DOTALL);

    @Test
    void every_request_in_it_succeeds_in_the_order_in_which_they_stand() throws Exception {
        var requests = blocks("http");
        assertThat(requests).hasSizeGreaterThan(12);
        try (var gateway = new TestGateway()) {
            // What the page speaks of and does not make itself.
            gateway.e2b.addUnknown(UUID.fromString("0190d5e1-02b7-7f60-8b1e-5a9c3e7d2f00"), "left-over");
            Path skill = Files.createDirectories(gateway.skillsFolder.resolve("pdf-forms"));
            Files.writeString(skill.resolve("SKILL.md"), "---\nname: pdf-forms\ndescription: Fills forms.\n---\n");
            for (String request : requests) {
                var parts = REQUEST.matcher(request);
                assertThat(parts.matches()).as(request).isTrue();
                var answer = gateway.client.send(parts.group(1), parts.group(2), parts.group(3));
                assertThat(answer.status()).as(request + answer.text()).isBetween(200, 204);
            }
        }
    }

    @Test
    void every_answer_in_it_is_a_record_of_the_api() throws Exception {
        JsonMapper strict = ApiJson.mapper()
                .rebuild()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .build();
        var answers = blocks("json");
        assertThat(answers).hasSize(2);
        assertThat(strict.readValue(answers.get(0), ExecResult.class).stdout()).isEqualTo("hello\n");
        assertThat(strict.readValue(answers.get(1), Problem.class).code()).isEqualTo("invalid");
    }

    @Test
    void every_code_stands_in_its_table() throws Exception {
        String page = Files.readString(PAGE);
        for (ProblemCode code : ProblemCode.values())
            assertThat(page.lines()
                            .anyMatch(line ->
                                    line.startsWith("| " + code.status()) && line.contains("`" + code.wire() + "`")))
                    .as(code.wire())
                    .isTrue();
    }

    private static List<String> blocks(String kind) throws Exception {
        var blocks = new ArrayList<String>();
        var block =
                Pattern.compile("```" + kind + "\\R(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        while (block.find()) blocks.add(block.group(1).strip());
        return blocks;
    }
}
