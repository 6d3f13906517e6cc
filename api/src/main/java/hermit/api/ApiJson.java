package hermit.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;

/// How the records of this package look as JSON.
public final class ApiJson {
    private ApiJson() {}

    /// A mapper for both ends of the wire. Fields that it does not know are ignored, so that an older client
    /// reads what a newer gateway says; an empty [java.util.Optional] is written as `null`, so that answers
    /// always have the same fields.
    public static JsonMapper mapper() {
        return JsonMapper.builder()
                .addModule(new Jdk8Module())
                .addModule(times())
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    private static SimpleModule times() {
        var module = new SimpleModule("times");
        module.addSerializer(Instant.class, new JsonSerializer<>() {
            @Override
            public void serialize(Instant time, JsonGenerator out, SerializerProvider provider) throws IOException {
                out.writeString(time.toString());
            }
        });
        module.addDeserializer(Instant.class, new JsonDeserializer<>() {
            @Override
            public Instant deserialize(JsonParser in, DeserializationContext context) throws IOException {
                try {
                    return Instant.parse(in.getValueAsString(""));
                } catch (DateTimeException e) {
                    return (Instant) context.handleWeirdStringValue(
                            Instant.class, in.getValueAsString(""), "not a time in RFC 3339");
                }
            }
        });
        return module;
    }
}
