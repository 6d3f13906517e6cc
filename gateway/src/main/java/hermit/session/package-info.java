/// Conversations with an agent: whose they are, who acts in them, and one numbered log of what happened in
/// each, which feeds history and followers alike.
@NullMarked
package hermit.session;

import org.jspecify.annotations.NullMarked;
