package hermit.model;

import hermit.turn.Answer;
import hermit.turn.Model;
import hermit.turn.ModelFailure;
import hermit.turn.ModelInfo;
import hermit.turn.Prompt;

/// A model whose key the operator has not set. The name of the variable is the operator's: it is said at
/// the start of the gateway, and not here.
record KeylessModel(ModelInfo info) implements Model {
    @Override
    public Answer answer(Prompt prompt, Model.Listener listener) throws ModelFailure {
        throw ModelFailure.lasting("The key of the model '%s' is not set; the operator has to".formatted(info.name()));
    }
}
