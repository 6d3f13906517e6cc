package hermit.config;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamReadException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads one JSON object as plain maps, lists and values. Strict: a key that comes twice, or anything after the closing
/// brace, is an error and not a guess.
///
/// It stays with Jackson's parser and leaves the mapper alone: loading the mapper's classes would cost the start of the
/// gateway more than reading the whole configuration does.
final class StrictJson {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private StrictJson() {}

    /// Not JSON, or not one object. The message says where, as in `line 3, column 14: …`.
    static final class Broken extends Exception {
        Broken(JsonLocation where, String message) {
            super("line %d, column %d: %s".formatted(where.getLineNr(), where.getColumnNr(), message));
        }
    }

    static Map<String, @Nullable Object> object(String text) throws Broken {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT)
                throw new Broken(parser.currentTokenLocation(), "must be one JSON object");
            Map<String, @Nullable Object> object = readObject(parser);
            if (parser.nextToken() != null)
                throw new Broken(parser.currentTokenLocation(), "nothing may follow the closing brace");
            return object;
        } catch (StreamReadException e) {
            throw new Broken(e.getLocation(), e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalStateException("Reading from a text failed", e);
        }
    }

    private static Map<String, @Nullable Object> readObject(JsonParser parser) throws IOException {
        var object = new LinkedHashMap<String, @Nullable Object>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            object.put(key, readValue(parser));
        }
        return object;
    }

    private static List<@Nullable Object> readList(JsonParser parser) throws IOException {
        var list = new ArrayList<@Nullable Object>();
        while (parser.nextToken() != JsonToken.END_ARRAY) list.add(readValue(parser));
        return list;
    }

    private static @Nullable Object readValue(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> readObject(parser);
            case START_ARRAY -> readList(parser);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT -> parser.getNumberValue();
            case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }
}
