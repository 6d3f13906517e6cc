/// An agent's tools and files for clients of the Model Context Protocol: a session for each client, calls that can be
/// watched and cancelled while they are under way, and files as resources. Nothing is decided here that is not decided
/// for every other way to call a tool.
@NullMarked
package hermit.mcp;

import org.jspecify.annotations.NullMarked;
