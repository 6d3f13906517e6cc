/// How models are spoken to: over HTTP, in the protocols of Anthropic and of OpenAI. LangChain4j writes the
/// requests and reads the answers; see docs/adr/0009.
@NullMarked
package hermit.model;

import org.jspecify.annotations.NullMarked;
