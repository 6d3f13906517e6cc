package hermit.config;

import hermit.exec.Uuids;
import hermit.json.Json;
import hermit.problem.FieldError;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Presets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Reads everything once. Secrets of a first start are only made when nothing else is wrong.
final class ConfigReader {
    /// What a new `gateway.json` says.
    private static final String FIRST_CONFIG = """
            {
              "sandboxPresets": {
                "docker-ubuntu": {
                  "type": "docker",
                  "config": { "image": "ubuntu:24.04", "username": "root", "agent_home": "/root" }
                }
              },
              "autoProvisionSandbox": "docker-ubuntu"
            }
            """;

    private final Home home;
    private final List<FieldError> mistakes;
    private final List<String> warnings = new ArrayList<>();

    ConfigReader(Home home, List<FieldError> mistakes) {
        this.home = home;
        this.mistakes = mistakes;
    }

    GatewayConfig read(Map<String, String> process) {
        var environment = Environment.read(home, process, mistakes);
        warnings.addAll(environment.warnings());

        Fields document = Fields.of(document());
        var server = ServerSettings.read(document);
        var docker = DockerSettings.read(document, environment, home.directory(), mistakes, warnings);
        var limits = LimitSettings.read(document);
        var exec = ExecBlock.read(document).withPerCaller(limits.execsPerCaller());
        var models = ModelSettings.readAll(document, environment, warnings);
        var turns = TurnsBlock.read(document).withPerCaller(limits.turnsPerCaller());
        var retention = RetentionSettings.read(document);
        var sessions = SessionSettings.read(document);
        var audit = AuditSettings.read(document);
        var presets = PresetsBlock.read(document);
        document.close();
        mistakes.addAll(document.errors());

        if (holdsCredential(presets)) home.mustBePrivate(Home.CONFIG);
        var database = DatabaseSettings.read(environment, home.directory(), mistakes);
        var clouds = CloudSettings.read(environment, mistakes);
        Optional<AdminToken> givenToken = AdminToken.given(environment, mistakes);
        if (!server.isLoopback() && givenToken.isEmpty())
            mistakes.add(new FieldError(
                    "server.host",
                    "'%s' can be reached from other machines: set HERMIT_ADMIN_TOKEN in the environment or in .env first"
                            .formatted(server.host())));
        var random = new SecureRandom();
        AdminToken token = givenToken.orElseGet(() -> AdminToken.kept(home, random, mistakes));
        UUID instanceId = instanceId(random);
        if (!mistakes.isEmpty()) throw new Invalid(mistakes);
        return new GatewayConfig(
                home.directory(),
                instanceId,
                token,
                server,
                database,
                presets,
                docker,
                exec,
                models,
                turns,
                retention,
                sessions,
                audit,
                limits,
                clouds,
                warnings);
    }

    private Map<String, @Nullable Object> document() {
        try {
            return Json.object(home.textOrMake(Home.CONFIG, FIRST_CONFIG));
        } catch (Json.Broken e) {
            mistakes.add(new FieldError(Home.CONFIG, String.valueOf(e.getMessage())));
            return Map.of();
        }
    }

    /// Names the machines that this gateway makes. Another gateway on the same database has another one.
    private UUID instanceId(SecureRandom random) {
        long high = (random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L;
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        var fresh = new UUID(high, low);
        String text = home.textOrMake(Home.INSTANCE_ID, fresh + "\n").strip();
        Optional<UUID> id = Uuids.parse(text);
        if (id.isEmpty())
            mistakes.add(new FieldError(
                    Home.INSTANCE_ID, "holds no UUID; put back what was there, or the gateway loses its containers"));
        return id.orElse(fresh);
    }

    private static boolean holdsCredential(Presets presets) {
        return presets.all().stream()
                .flatMap(preset -> preset.config().env().keySet().stream())
                .anyMatch(Environment::namesCredential);
    }
}
