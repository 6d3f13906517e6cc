package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// One request.
///
/// - `path`: as it was sent, without the query.
/// - `rawQuery`: as it was sent; `query`: decoded once.
/// - `headers`: names in lower case.
/// - `special`: what is to go wrong with it, by name.
@SuppressWarnings("ArrayRecordComponent") // nobody compares it
record Call(
        String method,
        String path,
        String rawQuery,
        Map<String, String> query,
        Map<String, String> headers,
        byte[] body,
        Optional<String> special) {
    Call {
        query = Map.copyOf(query);
        headers = Map.copyOf(headers);
    }

    Call with(String name) {
        return new Call(method, path, rawQuery, query, headers, body, Optional.of(name));
    }

    /// Path and query as they were sent.
    String target() {
        return rawQuery.isEmpty() ? path : path + "?" + rawQuery;
    }

    boolean isSpecial(String name) {
        return special.filter(name::equals).isPresent();
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }

    Optional<String> query(String name) {
        return Optional.ofNullable(query.get(name));
    }

    /// The body as JSON; an empty one is an empty object.
    JsonNode json() throws Refused {
        try {
            return body.length == 0 ? Json.MAPPER.createObjectNode() : Json.MAPPER.readTree(body);
        } catch (IOException e) {
            throw new Refused(Answer.refusal(400, "Error when parsing the request"));
        }
    }

    static Map<String, String> queryOf(String raw) {
        var query = new HashMap<String, String>();
        for (String pair : raw.split("&", -1)) {
            if (pair.isEmpty()) continue;
            String[] parts = pair.split("=", 2);
            query.put(decode(parts[0]), parts.length == 2 ? decode(parts[1]) : "");
        }
        return query;
    }

    static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
