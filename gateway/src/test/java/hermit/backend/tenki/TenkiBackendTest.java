package hermit.backend.tenki;

import hermit.exec.ExecBackend;
import hermit.exec.ExecBackendContract;
import hermit.exec.LiveState;
import hermit.exec.Machine;
import hermit.exec.MachineSpec;
import java.util.Map;
import java.util.Optional;

/// The contract in a session of a fake Tenki.
class TenkiBackendTest extends ExecBackendContract {
    private final TestTenki tenki = open();
    private final MachineSpec spec = TestTenki.row(Map.of("memory_mb", MEMORY.bytes() >> 20));

    private static TestTenki open() {
        try {
            return new TestTenki();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    protected void release() {
        tenki.close();
    }

    @Override
    protected ExecBackend fresh() {
        return tenki.backend(spec);
    }

    @Override
    protected ExecBackend restarted(ExecBackend before, Machine machine) {
        return tenki.backend(new MachineSpec(
                spec.sandboxId(),
                spec.agentUid(),
                spec.agentId(),
                spec.alias(),
                spec.config(),
                machine.generation(),
                Optional.of(machine.externalId())));
    }

    /// Made by the fake as the first user beside root.
    @Override
    protected int uid() {
        return 1000;
    }

    @Override
    protected String home() {
        return "/home/tenki";
    }

    @Override
    protected LiveState.State atRest() {
        return LiveState.State.PAUSED;
    }
}
