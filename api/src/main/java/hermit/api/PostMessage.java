package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Optional;

/// `POST …/messages`. What is empty is not sent.
///
/// - `sender`: for whom a channel speaks; only with a channel's token.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PostMessage(String text, Optional<Identity> sender) {
    /// By whoever sends it.
    public PostMessage(String text) {
        this(text, Optional.empty());
    }
}
