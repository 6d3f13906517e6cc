package hermit.api;

import java.util.List;

/// An agent's security policy as it is shown. The access token is never shown, only whether there is one.
public record Security(
        String access,
        String autonomyLevel,
        List<String> requireApprovalFor,
        boolean guestsMayRun,
        boolean accessTokenSet) {
    public Security {
        requireApprovalFor = List.copyOf(requireApprovalFor);
    }
}
