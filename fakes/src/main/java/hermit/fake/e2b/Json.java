package hermit.fake.e2b;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.fake.FakeFailure;

final class Json {
    static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new FakeFailure("write JSON: " + e.getMessage(), e);
        }
    }
}
