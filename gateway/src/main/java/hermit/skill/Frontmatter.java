package hermit.skill;

import hermit.skill.SkillFolder.Unfit;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// The YAML between the two `---` lines at the top of a `SKILL.md`, as the public Agent Skills format has it.
record Frontmatter(String name, String description) {
    private static final int LONGEST = 64 << 10;
    private static final int LONGEST_DESCRIPTION = 1_024;
    private static final int LONGEST_COMPATIBILITY = 500;
    private static final Set<String> KNOWN =
            Set.of("name", "description", "license", "compatibility", "metadata", "allowed-tools");

    static Frontmatter read(String manifest) throws Unfit {
        if (!(load(block(manifest)) instanceof Map<?, ?> fields)) throw new Unfit("the frontmatter is no mapping");
        for (Object key : fields.keySet())
            if (!(key instanceof String name) || !KNOWN.contains(name))
                throw new Unfit("%s: is not a field of the frontmatter".formatted(key));
        String name = required(fields, "name", 64);
        if (!SkillName.isName(name)) throw new Unfit("name: must be " + SkillName.SHAPE);
        optional(fields, "license", LONGEST_DESCRIPTION);
        optional(fields, "compatibility", LONGEST_COMPATIBILITY);
        optional(fields, "allowed-tools", LONGEST_DESCRIPTION);
        metadata(fields.get("metadata"));
        return new Frontmatter(name, required(fields, "description", LONGEST_DESCRIPTION));
    }

    private static String block(String manifest) throws Unfit {
        String text = manifest.replace("\r\n", "\n");
        if (!text.startsWith("---\n")) throw new Unfit("SKILL.md: does not begin with a line '---'");
        int end = text.indexOf("\n---", 3);
        if (end < 0 || end > LONGEST) throw new Unfit("SKILL.md: its frontmatter does not end with a line '---'");
        return text.substring(4, end + 1);
    }

    private static Object load(String yaml) throws Unfit {
        var settings = LoadSettings.builder()
                .setAllowDuplicateKeys(false)
                .setMaxAliasesForCollections(10)
                .setCodePointLimit(LONGEST)
                .build();
        try {
            Object loaded = new Load(settings).loadFromString(yaml);
            return loaded == null ? "" : loaded;
        } catch (YamlEngineException e) {
            throw new Unfit("the frontmatter is no YAML: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    private static String required(Map<?, ?> fields, String key, int longest) throws Unfit {
        if (!(fields.get(key) instanceof String text) || text.isBlank())
            throw new Unfit("%s: is missing, or no text".formatted(key));
        if (text.length() > longest) throw new Unfit("%s: is longer than %d".formatted(key, longest));
        return text.strip();
    }

    private static void optional(Map<?, ?> fields, String key, int longest) throws Unfit {
        if (fields.containsKey(key)) required(fields, key, longest);
    }

    private static void metadata(@Nullable Object given) throws Unfit {
        if (given == null) return;
        if (!(given instanceof Map<?, ?> entries)) throw new Unfit("metadata: must be a mapping");
        for (var entry : entries.entrySet())
            if (!(entry.getKey() instanceof String) || !(entry.getValue() instanceof String))
                throw new Unfit("metadata.%s: must be a text".formatted(entry.getKey()));
    }
}
