package hermit.command.http;

import hermit.api.Terminal;
import hermit.command.LiveTerminal;
import hermit.command.Terminals;

/// Terminals as they travel.
final class TerminalJson {
    private TerminalJson() {}

    static Terminal terminal(Terminals.View view) {
        var size = view.live()
                .map(LiveTerminal::size)
                .or(() -> view.record().terminal())
                .orElseThrow();
        return new Terminal(
                view.record().id().value(),
                size.cols(),
                size.rows(),
                view.live().map(LiveTerminal::viewers).orElse(0),
                ExecJson.summary(view.record()));
    }
}
