package hermit.http;

import hermit.access.Caller;
import hermit.problem.ProblemCode;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// What can be told of a request without telling a secret: neither its headers nor its body.
///
/// - `address`: where the caller is, as far as the proxies in between are trusted.
/// - `method`, `template`: those of the route, e.g. `/api/agents/{id}`.
/// - `path`: what was asked for, percent-encoded.
/// - `agentUid`: the agent that it is about, once that is known.
/// - `location`: where what was made is found.
/// - `notes`: what else there is to say, by [Request#note].
public record AnsweredRequest(
        String id,
        Caller caller,
        String address,
        Method method,
        String template,
        String path,
        Optional<UUID> agentUid,
        int status,
        Optional<ProblemCode> problem,
        Optional<String> location,
        Map<String, String> notes) {
    public AnsweredRequest {
        notes = Map.copyOf(notes);
    }
}
