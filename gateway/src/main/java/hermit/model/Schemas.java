package hermit.model;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonBooleanSchema;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonIntegerSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import hermit.tool.ToolSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Tools in LangChain4j's words. It knows no bounds of numbers: they are added to the description.
final class Schemas {
    private Schemas() {}

    static ToolSpecification of(ToolSchema tool) {
        return ToolSpecification.builder()
                .name(tool.tool().toString())
                .description(tool.description())
                .parameters(object(tool.input()))
                .build();
    }

    private static JsonSchemaElement element(Map<?, ?> schema) {
        String description = description(schema);
        if (schema.get("enum") instanceof List<?> words)
            return JsonEnumSchema.builder()
                    .enumValues(texts(words))
                    .description(description)
                    .build();
        return switch (String.valueOf(schema.get("type"))) {
            case "string" -> JsonStringSchema.builder().description(description).build();
            case "integer" ->
                JsonIntegerSchema.builder().description(description).build();
            case "boolean" ->
                JsonBooleanSchema.builder().description(description).build();
            case "array" -> {
                var array = JsonArraySchema.builder().description(description);
                if (schema.get("items") instanceof Map<?, ?> items) array.items(element(items));
                yield array.build();
            }
            case "object" -> object(schema);
            default -> throw new IllegalArgumentException("no schema of type " + schema.get("type"));
        };
    }

    private static JsonObjectSchema object(Map<?, ?> schema) {
        var object = JsonObjectSchema.builder();
        if (schema.containsKey("description")) object.description(description(schema));
        if (schema.get("properties") instanceof Map<?, ?> properties)
            properties.forEach((name, each) -> {
                if (each instanceof Map<?, ?> property) object.addProperty(String.valueOf(name), element(property));
            });
        if (schema.get("required") instanceof List<?> required) object.required(texts(required));
        // An object whose keys the model chooses says so by the schema of their values.
        object.additionalProperties(!Boolean.FALSE.equals(schema.get("additionalProperties")));
        return object.build();
    }

    private static String description(Map<?, ?> schema) {
        String text = schema.containsKey("description") ? String.valueOf(schema.get("description")) : "";
        var bounds = new ArrayList<String>();
        if (schema.containsKey("minimum")) bounds.add("at least " + schema.get("minimum"));
        if (schema.containsKey("maximum")) bounds.add("at most " + schema.get("maximum"));
        return bounds.isEmpty()
                ? text
                : "%s (%s)".formatted(text, String.join(", ", bounds)).strip();
    }

    private static List<String> texts(List<?> values) {
        return values.stream().map(String::valueOf).toList();
    }
}
