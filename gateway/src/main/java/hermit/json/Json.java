package hermit.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamReadException;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads and writes whole documents. Reading is strict: a key that comes twice, or anything after the end, is an
/// error and not a guess. Values are `Map`, `List`, `String`, `Boolean`, `Long`, `BigInteger`, `BigDecimal` and
/// null.
public final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private Json() {}

    /// Not JSON, or not of the kind that was asked for. The message says where, as in `line 3, column 14: …`.
    public static final class Broken extends Exception {
        private Broken(int line, int column, String message) {
            super("line %d, column %d: %s".formatted(line, column, message));
        }
    }

    /// A text that must be one object.
    public static Map<String, @Nullable Object> object(String text) throws Broken {
        return read(text, JsonToken.START_OBJECT, "an object", Json::readObject);
    }

    /// A text that must be one list.
    public static List<@Nullable Object> list(String text) throws Broken {
        return read(text, JsonToken.START_ARRAY, "a list", Json::readList);
    }

    /// A map, list or value as its shortest text.
    public static String write(@Nullable Object value) {
        var text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            write(generator, value);
        } catch (IOException e) {
            throw new IllegalStateException("Writing to a text failed", e);
        }
        return text.toString();
    }

    @FunctionalInterface
    private interface Reader<T> {
        T read(JsonParser parser) throws IOException;
    }

    private static <T> T read(String text, JsonToken first, String kind, Reader<T> reader) throws Broken {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != first) throw broken(parser, "must be " + kind);
            T value = reader.read(parser);
            if (parser.nextToken() != null) throw broken(parser, "nothing may follow the end");
            return value;
        } catch (StreamReadException e) {
            var where = e.getLocation();
            throw new Broken(where.getLineNr(), where.getColumnNr(), e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalStateException("Reading from a text failed", e);
        }
    }

    private static Broken broken(JsonParser parser, String message) {
        var where = parser.currentTokenLocation();
        return new Broken(where.getLineNr(), where.getColumnNr(), message);
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
            case VALUE_NUMBER_INT -> whole(parser.getBigIntegerValue());
            case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    private static Object whole(BigInteger number) {
        return number.bitLength() < Long.SIZE ? (Object) number.longValue() : number;
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> generator.writeNull();
            case Map<?, ?> map -> {
                generator.writeStartObject();
                for (Map.Entry<?, ?> each : map.entrySet()) {
                    generator.writeFieldName(String.valueOf(each.getKey()));
                    write(generator, each.getValue());
                }
                generator.writeEndObject();
            }
            case List<?> list -> {
                generator.writeStartArray();
                for (Object each : list) write(generator, each);
                generator.writeEndArray();
            }
            case String text -> generator.writeString(text);
            case Boolean bool -> generator.writeBoolean(bool);
            case BigDecimal number -> generator.writeNumber(number);
            case BigInteger number -> generator.writeNumber(number);
            case Integer number -> generator.writeNumber(number);
            case Long number -> generator.writeNumber(number);
            default -> throw new IllegalArgumentException(value.getClass() + " is not of JSON");
        }
    }
}
