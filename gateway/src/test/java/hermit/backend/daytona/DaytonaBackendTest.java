package hermit.backend.daytona;

import hermit.backend.cloud.CloudProvider;
import hermit.exec.ExecBackend;
import hermit.exec.ExecBackendContract;
import hermit.exec.Machine;
import hermit.exec.MachineSpec;
import hermit.fake.daytona.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class DaytonaBackendTest extends ExecBackendContract {
    private final DaytonaFixture fixture =
            new DaytonaFixture(Settings.of(DaytonaFixture.IMAGE).withMemory(MEMORY.bytes()));
    private final MachineSpec spec = DaytonaFixture.spec(DaytonaFixture.config(Map.of()));
    private final List<CloudProvider> providers = new ArrayList<>();

    @Override
    protected ExecBackend fresh() {
        return provider().open(spec);
    }

    @Override
    protected ExecBackend restarted(ExecBackend before, Machine machine) {
        return provider().open(DaytonaFixture.after(spec, machine));
    }

    @Override
    protected void release() {
        providers.forEach(CloudProvider::close);
        fixture.close();
    }

    @Override
    protected int uid() {
        return 1000;
    }

    @Override
    protected String home() {
        return "/home/daytona";
    }

    private CloudProvider provider() {
        var provider = fixture.provider();
        providers.add(provider);
        return provider;
    }
}
