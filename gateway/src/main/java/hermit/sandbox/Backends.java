package hermit.sandbox;

import hermit.exec.BackendProvider;
import hermit.exec.BackendType;
import hermit.exec.Capability;
import hermit.problem.GatewayException.NotAvailable;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The providers that this gateway has, one for each backend type that works in this version. There is no fall-back
/// from one to another.
public final class Backends {
    private final Map<BackendType, BackendProvider> byType = new EnumMap<>(BackendType.class);

    public Backends(List<BackendProvider> providers) {
        providers.forEach(provider -> byType.put(provider.type(), provider));
    }

    /// Throws [NotAvailable] for a type that can be stored but not used yet.
    public BackendProvider of(BackendType type) {
        BackendProvider provider = byType.get(type);
        if (provider == null) throw new NotAvailable("The backend '%s' is not available yet".formatted(type));
        return provider;
    }

    public boolean has(BackendType type) {
        return byType.containsKey(type);
    }

    public Set<Capability> capabilities(BackendType type) {
        BackendProvider provider = byType.get(type);
        return provider == null ? Set.of() : provider.capabilities();
    }

    public Collection<BackendProvider> all() {
        return List.copyOf(byType.values());
    }
}
