package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// `POST /api/agents/{id}/sessions`. What is empty is not sent.
///
/// - `sessionId`: an earlier session that is opened again.
/// - `sender`: for whom a channel speaks; only with a channel's token.
/// - `source`, `metadata`: information only.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record OpenSession(
        Optional<UUID> sessionId,
        Optional<Source> source,
        Optional<Identity> sender,
        Optional<Map<String, String>> metadata) {

    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    public record Source(Optional<String> kind, Optional<String> platform, Optional<Boolean> interactive) {}
}
