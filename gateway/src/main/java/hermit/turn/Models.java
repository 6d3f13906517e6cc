package hermit.turn;

import java.util.List;
import java.util.Optional;

/// The operator's models.
public interface Models {
    /// In the order in which the operator has written them.
    List<ModelInfo> all();

    /// Ready to be asked, any number of times and by several at once.
    Optional<Model> find(String name);
}
