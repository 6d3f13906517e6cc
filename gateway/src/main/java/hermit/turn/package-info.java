/// Turns: a message is answered by the agent's model, which calls tools on the way as whoever has written
/// the message. One at a time in a session; each is owned by the gateway that runs it, and comes to an end
/// whatever happens. How models are spoken to is a matter of [hermit.turn.Model].
@NullMarked
package hermit.turn;

import org.jspecify.annotations.NullMarked;
