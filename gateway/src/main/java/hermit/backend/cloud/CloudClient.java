package hermit.backend.cloud;

import hermit.exec.BackendConfig;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A provider's own API, as far as machines are concerned. Each call asks the provider; nothing is cached, and nothing
/// but what is said here is retried.
///
/// All methods throw [hermit.problem.GatewayException.MissingCredential] if no key is set,
/// [hermit.problem.GatewayException.ProviderError] for an answer that says that it will not work, and
/// [hermit.problem.GatewayException.BackendUnavailable] if the provider could not be reached, was too busy, or gave no
/// answer in time. A 429 is waited out as long as the provider asks, within a bound, and said to `progress` where there
/// is one.
public interface CloudClient extends AutoCloseable {
    /// The machine as it is now, empty if the provider does not have it (any more). Never wakes it.
    Optional<CloudMachine> find(String machineId) throws InterruptedException;

    /// Machines that carry this gateway's mark ([Marks]), in any state; `sandbox` restricts to those of one row. The
    /// provider's list may lag: what matters is asked again with [#find].
    List<CloudMachine> list(Optional<UUID> sandbox) throws InterruptedException;

    /// Makes a machine that carries `marks`, and waits until it runs. If that fails, what was made is destroyed again;
    /// if the answer was lost, it is found again by its marks.
    CloudMachine create(MachineSpec spec, Marks marks, Progress progress) throws InterruptedException;

    /// Makes a machine run that was paused, stopped, archived or is in the middle of a change, repeating the config's
    /// options exactly, and waits until it does. The provider may give it another id. Empty if it is gone,
    /// or broken for good.
    Optional<CloudMachine> resume(CloudMachine machine, BackendConfig config, Progress progress)
            throws InterruptedException;

    /// Pauses or stops a running machine; files stay. Returns when it is done. Nothing to do if it does not run.
    void pause(String machineId) throws InterruptedException;

    /// Nothing to do if there is none.
    void destroy(String machineId) throws InterruptedException;

    /// The machine is in use: puts its end off by as much as its config grants.
    void prolong(String machineId, BackendConfig config) throws InterruptedException;

    /// How often [#prolong] is called while something runs.
    default Duration prolongEvery(BackendConfig config) {
        return Duration.ofMinutes(1);
    }

    /// The way into a running machine. Asks nobody.
    Guest guest(CloudMachine machine, BackendConfig config);

    /// Whether the key is accepted; throws as the others do.
    void check() throws InterruptedException;

    @Override
    void close();
}
