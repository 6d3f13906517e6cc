package hermit.turn;

import java.time.Duration;

/// Told what turns do, for figures. Must not throw.
public interface TurnListener {
    TurnListener NOBODY = new TurnListener() {
        @Override
        public void used(ModelInfo model, Usage usage) {}

        @Override
        public void ended(Turn.Reason reason, Duration ran) {}
    };

    /// A model has answered.
    void used(ModelInfo model, Usage usage);

    void ended(Turn.Reason reason, Duration ran);
}
