package hermit.backend.e2b;

import hermit.backend.cloud.CloudProvider;
import hermit.backend.keeper.SystemScheduler;
import hermit.exec.ExecBackend;
import hermit.exec.ExecBackendContract;
import hermit.exec.LiveState;
import hermit.exec.Machine;
import hermit.exec.MachineSpec;
import java.time.InstantSource;
import java.util.Map;

/// The contract in a sandbox as it is by default.
class E2bBackendTest extends ExecBackendContract {
    private final TestE2b e2b = new TestE2b();
    private final SystemScheduler scheduler = new SystemScheduler(InstantSource.system());
    private final CloudProvider provider = e2b.provider(e2b.settings, scheduler, E2bTimes.USUAL);
    private final MachineSpec spec = TestE2b.row(Map.of());

    @Override
    protected ExecBackend fresh() {
        return provider.open(spec);
    }

    @Override
    protected ExecBackend restarted(ExecBackend before, Machine machine) {
        return provider.open(TestE2b.after(spec, machine));
    }

    @Override
    protected void release() {
        provider.close();
        scheduler.close();
        e2b.close();
    }

    @Override
    protected int uid() {
        return 1000;
    }

    @Override
    protected String home() {
        return "/home/user";
    }

    @Override
    protected LiveState.State atRest() {
        return LiveState.State.PAUSED;
    }
}
