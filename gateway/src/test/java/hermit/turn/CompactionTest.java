package hermit.turn;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.tool.LongText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CompactionTest {
    private int calls;

    @Test
    void what_fits_stays_as_it_is() {
        var messages = conversation(2, 3, 1_000);
        assertThat(Compaction.fit(messages, 1_000_000).messages()).isEqualTo(messages);
        assertThat(Compaction.fit(messages, 1_000_000).changed()).isFalse();
    }

    @Test
    void old_output_goes_first_and_its_id_and_both_ends_stay() {
        var messages = conversation(1, 6, 6_000);
        var fitted = Compaction.fit(messages, Weight.of(messages) / 2);
        assertThat(Weight.of(fitted.messages())).isLessThanOrEqualTo(Weight.of(messages) / 2);
        assertThat(fitted.leftOut()).isZero();
        assertThat(fitted.shortened()).isPositive();
        assertThat(fitted.messages()).hasSameSizeAs(messages);
        assertThat(fitted.messages().getFirst()).isEqualTo(messages.getFirst());
        assertThat(fitted.messages().getLast()).isEqualTo(messages.getLast());
        var oldest = ((Message.Results) fitted.messages().get(2)).results().getFirst();
        assertThat(oldest.document()).containsEntry("exec_id", "exec-1");
        assertThat(String.valueOf(oldest.document().get("stdout")))
                .startsWith("begin")
                .endsWith("end")
                .contains("characters left out")
                .hasSizeLessThan(1_000);
    }

    @Test
    void then_whole_exchanges_go_and_never_the_message_that_is_being_answered() {
        var messages = conversation(20, 2, 900);
        var fitted = Compaction.fit(messages, 1_500);
        assertThat(fitted.leftOut()).isPositive();
        assertThat(fitted.messages().getFirst()).isInstanceOf(Message.User.class);
        assertThat(fitted.messages()).contains(new Message.User("question 20"));
        assertThat(fitted.messages()).doesNotContain(new Message.User("question 1"));
        assertThat(Weight.of(fitted.messages())).isLessThanOrEqualTo(1_500);
    }

    @Test
    void then_what_was_done_first_and_each_call_keeps_its_result() {
        var messages = conversation(1, 60, 500);
        var fitted = Compaction.fit(messages, 1_500);
        assertThat(fitted.messages().getFirst()).isEqualTo(new Message.User("question 1"));
        assertThat(fitted.messages().size()).isLessThan(messages.size());
        for (int i = 1; i < fitted.messages().size(); i++) {
            if (!(fitted.messages().get(i) instanceof Message.Results results)) continue;
            var before = (Message.Assistant) fitted.messages().get(i - 1);
            assertThat(results.results().getFirst().call())
                    .isEqualTo(before.calls().getFirst().id());
        }
        assertThat(fitted.messages().getLast()).isEqualTo(messages.getLast());
    }

    @Test
    void even_the_latest_output_is_cut_if_nothing_else_helps() {
        var messages = conversation(1, 1, 60_000);
        var fitted = Compaction.fit(messages, 4_000);
        assertThat(Weight.of(fitted.messages())).isLessThan(4_000);
    }

    @Test
    void what_was_cut_is_not_cut_again() {
        var once = Compaction.fit(conversation(1, 6, 6_000), 4_000);
        var twice = Compaction.fit(once.messages(), 4_000);
        assertThat(twice.changed()).isFalse();
    }

    @Test
    void a_cut_never_goes_through_a_character() {
        String text = "x".repeat(9) + "😀".repeat(200) + "y".repeat(9);
        String cut = new LongText(10, 10).cut(text, "more elsewhere");
        assertThat(cut.codePoints().filter(each -> Character.isSurrogate((char) each) && each < 0x10000))
                .isEmpty();
        assertThat(cut).startsWith("xxxxxxxxx").contains("more elsewhere").endsWith("yyyyyyyyy");
    }

    private List<Message> conversation(int exchanges, int steps, int output) {
        var messages = new ArrayList<Message>();
        for (int i = 1; i <= exchanges; i++) {
            messages.add(new Message.User("question " + i));
            for (int j = 0; j < steps; j++) {
                var call = new WantedCall(
                        new UUID(0, ++calls), new UUID(1, calls), "exec", Map.of("command", "x"), Optional.empty());
                messages.add(new Message.Assistant("", List.of(call)));
                messages.add(new Message.Results(List.of(new CallResult(
                        call.id(),
                        "exec",
                        Map.of("exec_id", "exec-" + calls, "stdout", "begin" + "z".repeat(output) + "end"),
                        false))));
            }
            if (i < exchanges) messages.add(new Message.Assistant("answer " + i, List.of()));
        }
        return messages;
    }
}
