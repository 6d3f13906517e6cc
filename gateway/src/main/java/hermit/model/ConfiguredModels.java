package hermit.model;

import hermit.config.ModelSettings;
import hermit.turn.Model;
import hermit.turn.ModelInfo;
import hermit.turn.Models;
import hermit.world.World;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The models of `gateway.json`. What speaks to a provider is loaded when a model is first asked for: a
/// gateway whose agents have none never pays for it.
public final class ConfiguredModels implements Models, AutoCloseable {
    private final Map<String, ModelSettings> settings;
    private final World world;
    private final Map<String, Model> opened = new HashMap<>();
    private Optional<ModelHttp> http = Optional.empty();

    public ConfiguredModels(Map<String, ModelSettings> settings, World world) {
        this.settings = new LinkedHashMap<>(settings);
        this.world = world;
    }

    @Override
    public List<ModelInfo> all() {
        return settings.entrySet().stream()
                .map(each -> info(each.getKey(), each.getValue()))
                .toList();
    }

    @Override
    public synchronized Optional<Model> find(String name) {
        return Optional.ofNullable(settings.get(name)).map(each -> opened.computeIfAbsent(name, _ -> open(name, each)));
    }

    @Override
    public synchronized void close() {
        http.ifPresent(ModelHttp::close);
    }

    private Model open(String name, ModelSettings settings) {
        var info = info(name, settings);
        if (settings.apiKeyEnv().isPresent() && settings.apiKey().isEmpty()) return new KeylessModel(info);
        ModelHttp client = http.orElseGet(ModelHttp::new);
        http = Optional.of(client);
        return new ChatModel(info, settings, client, world);
    }

    private static ModelInfo info(String name, ModelSettings settings) {
        return new ModelInfo(
                name,
                settings.provider().toString(),
                settings.model(),
                settings.contextTokens(),
                settings.maxOutputTokens());
    }
}
