package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;

/// `POST …/messages`. What is empty is not sent.
///
/// - `sender`: for whom a channel speaks; only with a channel's token.
/// - `waits`: whether the answer is waited for; `waitMs`, for how long at most.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PostMessage(
        String text,
        Optional<Identity> sender,
        @JsonProperty("wait") Optional<Boolean> waits,
        Optional<Long> waitMs) {
    public PostMessage(String text, Optional<Identity> sender) {
        this(text, sender, Optional.empty(), Optional.empty());
    }

    /// By whoever sends it.
    public PostMessage(String text) {
        this(text, Optional.empty());
    }
}
