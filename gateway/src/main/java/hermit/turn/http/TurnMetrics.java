package hermit.turn.http;

import hermit.turn.ModelInfo;
import hermit.turn.Turn;
import hermit.turn.TurnListener;
import hermit.turn.Turns;
import hermit.turn.Usage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/// Figures about turns: how many ended for which reason and after what time, how many run, and the tokens
/// of each model.
public final class TurnMetrics implements TurnListener {
    private final MeterRegistry meters;

    public TurnMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /// Shows how many turns run.
    public void running(Turns turns) {
        Gauge.builder("hermit.turns.running", turns, Turns::count)
                .description("Turns that run")
                .register(meters);
    }

    @Override
    public void used(ModelInfo model, Usage usage) {
        tokens(model, "input").increment((double) usage.input());
        tokens(model, "output").increment((double) usage.output());
    }

    @Override
    public void ended(Turn.Reason reason, Duration ran) {
        Timer.builder("hermit.turns")
                .description("Turns that have ended, and how long they ran")
                .tag("reason", reason.toString())
                .register(meters)
                .record(ran);
    }

    private Counter tokens(ModelInfo model, String direction) {
        return Counter.builder("hermit.model.tokens")
                .description("Tokens, as the models' providers count them")
                .tag("model", model.name())
                .tag("direction", direction)
                .register(meters);
    }
}
