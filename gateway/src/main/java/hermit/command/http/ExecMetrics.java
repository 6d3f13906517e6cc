package hermit.command.http;

import hermit.command.ExecRecord;
import hermit.command.Outcome;
import hermit.command.Watch;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/// Figures about commands: how many ended for which reason and after what time, and how many run.
public final class ExecMetrics implements Watch.ExecListener {
    private final MeterRegistry meters;

    public ExecMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /// Shows how many commands `watch` watches.
    public void running(Watch watch) {
        Gauge.builder("hermit.execs.running", watch, Watch::count)
                .description("Commands that run")
                .register(meters);
    }

    @Override
    public void ended(ExecRecord record) {
        record.outcome().ifPresent(this::count);
    }

    private void count(Outcome outcome) {
        Timer.builder("hermit.execs")
                .description("Commands that have ended, and how long they ran")
                .tag("end_reason", outcome.reason().toString())
                .register(meters)
                .record(outcome.duration());
    }
}
