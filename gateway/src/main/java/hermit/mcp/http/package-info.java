/// MCP over streamable HTTP, as routes like all others: the same edge, gate, limits and records. The official SDK gives
/// the protocol's types.
@NullMarked
package hermit.mcp.http;

import org.jspecify.annotations.NullMarked;
