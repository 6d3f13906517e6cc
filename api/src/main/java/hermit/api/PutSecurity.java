package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/// `PUT /api/agents/{id}/security`: the whole policy.
///
/// - `accessToken`: not sent, it stays as it is; JSON's null removes it.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PutSecurity(
        String access,
        String autonomyLevel,
        List<String> requireApprovalFor,
        Optional<Boolean> guestsMayRun,
        Optional<JsonNode> accessToken) {
    public PutSecurity {
        requireApprovalFor = List.copyOf(requireApprovalFor);
    }
}
