package hermit.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// Reads and writes JSON documents as trees. An `ObjectMapper` does the same and much more, and setting one up is the
/// largest part of the time of a process that reads one answer and ends; here is only the walk.
public final class JsonTree {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonTree() {}

    public static ObjectNode object() {
        return NODES.objectNode();
    }

    public static ArrayNode array() {
        return NODES.arrayNode();
    }

    public static JsonNode text(String text) {
        return NODES.textNode(text);
    }

    public static JsonNode nothing() {
        return NODES.nullNode();
    }

    /// The one document in the text; missing if there is none. Anything behind it is an error.
    public static JsonNode parse(String text) throws JsonProcessingException {
        return parse(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Like [#parse(String)], from UTF-8.
    public static JsonNode parse(byte[] bytes) throws JsonProcessingException {
        try (JsonParser parser = FACTORY.createParser(bytes)) {
            if (parser.nextToken() == null) return MissingNode.getInstance();
            JsonNode document = value(parser);
            if (parser.nextToken() != null)
                throw new JsonParseException(parser, "there is more behind the end of the document");
            return document;
        } catch (JsonProcessingException e) {
            throw e;
        } catch (IOException e) {
            // Bytes in memory do not fail to be read.
            throw new UncheckedIOException(e);
        }
    }

    /// The value that begins at the current token. How deep it may go is limited by the parser.
    private static JsonNode value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                ObjectNode object = NODES.objectNode();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    var name = parser.currentName();
                    parser.nextToken();
                    object.set(name, value(parser));
                }
                yield object;
            }
            case START_ARRAY -> {
                ArrayNode array = NODES.arrayNode();
                while (parser.nextToken() != JsonToken.END_ARRAY) array.add(value(parser));
                yield array;
            }
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_TRUE, VALUE_FALSE -> NODES.booleanNode(parser.getBooleanValue());
            case VALUE_NULL -> NODES.nullNode();
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT -> NODES.numberNode(parser.getIntValue());
                    case LONG -> NODES.numberNode(parser.getLongValue());
                    default -> NODES.numberNode(parser.getBigIntegerValue());
                };
            // Exactly as written: 0.10 stays 0.10.
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDecimalValue());
            default -> throw new JsonParseException(parser, "unexpected " + parser.currentToken());
        };
    }

    /// In one line.
    public static String write(JsonNode node) {
        return write(node, false);
    }

    /// For people: a line for each field.
    public static String pretty(JsonNode node) {
        return write(node, true);
    }

    private static String write(JsonNode node, boolean pretty) {
        var text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            if (pretty) generator.useDefaultPrettyPrinter();
            put(node, generator);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void put(JsonNode node, JsonGenerator generator) throws IOException {
        switch (node.getNodeType()) {
            case OBJECT -> {
                generator.writeStartObject();
                for (var field : node.properties()) {
                    generator.writeFieldName(field.getKey());
                    put(field.getValue(), generator);
                }
                generator.writeEndObject();
            }
            case ARRAY -> {
                generator.writeStartArray();
                for (JsonNode element : node) put(element, generator);
                generator.writeEndArray();
            }
            case STRING -> generator.writeString(node.textValue());
            case BOOLEAN -> generator.writeBoolean(node.booleanValue());
            case NUMBER -> generator.writeNumber(node.asText());
            default -> generator.writeNull();
        }
    }
}
