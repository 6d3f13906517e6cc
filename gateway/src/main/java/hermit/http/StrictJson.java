package hermit.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import hermit.problem.GatewayException.Invalid;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the JSON object that a request's body must be, and nothing that is only nearly one: no key given
/// twice, nothing after the end, no NaN, no broken text. Values are `Map`, `List`, `String`, `Boolean`,
/// `Long`, `BigInteger`, `BigDecimal` and null, as [hermit.problem.Fields] takes them.
final class StrictJson {
    /// Deeper than any document of the API, and shallow enough for every recursion over it.
    static final int MAX_DEPTH = 64;
    /// Digits of a number; parsing a number costs the square of its length.
    private static final int MAX_NUMBER = 100;

    private static final int MAX_NAME = 1_024;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH + 1)
                    .maxNumberLength(MAX_NUMBER + 1)
                    .maxNameLength(MAX_NAME)
                    // The body's own limit is lower.
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final JsonParser parser;

    private StrictJson(JsonParser parser) {
        this.parser = parser;
    }

    /// Throws [Invalid].
    static Map<String, Object> object(byte[] body) {
        return read(body, StrictJson::document);
    }

    /// The same, but that another kind of value is no mistake: it is empty.
    static Optional<Map<String, Object>> objectIfOne(byte[] text) {
        return read(text, StrictJson::documentOfAnyKind);
    }

    private static <T> T read(byte[] body, Reading<T> reading) {
        String text = decode(body);
        try (JsonParser parser = FACTORY.createParser(text)) {
            return reading.of(new StrictJson(parser));
        } catch (JsonProcessingException e) {
            var where = e.getLocation();
            throw new Invalid(
                    "",
                    where == null
                            ? "the body is not valid JSON"
                            : "the body is not valid JSON (line %d, column %d)"
                                    .formatted(where.getLineNr(), where.getColumnNr()));
        } catch (IOException e) {
            throw new IllegalStateException("reading from a text never fails", e);
        }
    }

    @FunctionalInterface
    private interface Reading<T> {
        T of(StrictJson json) throws IOException;
    }

    private static String decode(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new Invalid("", "the body is not valid UTF-8");
        }
    }

    private Map<String, Object> document() throws IOException {
        if (first() != JsonToken.START_OBJECT) throw new Invalid("", "the body must be a JSON object");
        Map<String, Object> object = object("", 1);
        requireEnd();
        return object;
    }

    private Optional<Map<String, Object>> documentOfAnyKind() throws IOException {
        JsonToken first = first();
        Optional<Map<String, Object>> object =
                first == JsonToken.START_OBJECT ? Optional.of(object("", 1)) : Optional.empty();
        if (object.isEmpty()) value("", first, 0);
        requireEnd();
        return object;
    }

    private JsonToken first() throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null) throw new Invalid("", "the body is empty; a JSON object is expected");
        return first;
    }

    private void requireEnd() throws IOException {
        if (parser.nextToken() != null) throw new Invalid("", "the body goes on after its end");
    }

    @SuppressWarnings("NullAway") // JSON's null is a value of the map
    private Map<String, Object> object(String path, int depth) throws IOException {
        checkDepth(depth);
        var map = new LinkedHashMap<String, Object>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = sound(path, parser.currentName());
            String where = path.isEmpty() ? name : path + "." + name;
            if (map.containsKey(name)) throw new Invalid(shorten(where), "is given twice");
            map.put(name, value(where, parser.nextToken(), depth));
        }
        return map;
    }

    @SuppressWarnings("NullAway") // and of the list
    private List<Object> list(String path, int depth) throws IOException {
        checkDepth(depth);
        var list = new ArrayList<Object>();
        JsonToken token = parser.nextToken();
        while (token != JsonToken.END_ARRAY) {
            list.add(value(path + "[" + list.size() + "]", token, depth));
            token = parser.nextToken();
        }
        return list;
    }

    private @Nullable Object value(String path, JsonToken token, int depth) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(path, depth + 1);
            case START_ARRAY -> list(path, depth + 1);
            case VALUE_STRING -> sound(path, parser.getText());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT -> whole(number(path));
            case VALUE_NUMBER_FLOAT -> decimal(path);
            default -> throw new IllegalStateException("no value begins with " + token);
        };
    }

    private String number(String path) throws IOException {
        String digits = parser.getText();
        if (digits.length() > MAX_NUMBER)
            throw new Invalid(shorten(path), "a number must have at most %d digits".formatted(MAX_NUMBER));
        return digits;
    }

    private BigDecimal decimal(String path) throws IOException {
        try {
            return new BigDecimal(number(path));
        } catch (NumberFormatException e) {
            throw new Invalid(shorten(path), "a number's exponent must fit 32 bits");
        }
    }

    private static Object whole(String digits) {
        var number = new BigInteger(digits);
        if (number.bitLength() < Long.SIZE) return number.longValue();
        return number;
    }

    /// Half a surrogate pair cannot be written as UTF-8 again, neither to a database nor to a sandbox.
    private static String sound(String path, String text) {
        boolean half = text.codePoints().anyMatch(each -> each >= 0xD800 && each <= 0xDFFF);
        if (half) throw new Invalid(shorten(path), "must not contain half of a surrogate pair");
        return text;
    }

    private static void checkDepth(int depth) {
        if (depth > MAX_DEPTH) throw new Invalid("", "the body is nested deeper than %d levels".formatted(MAX_DEPTH));
    }

    private static String shorten(String path) {
        return path.length() <= 200 ? path : path.substring(0, 200) + "…";
    }
}
