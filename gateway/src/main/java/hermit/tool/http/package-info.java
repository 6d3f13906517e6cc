/// How tools are called over HTTP.
@NullMarked
package hermit.tool.http;

import org.jspecify.annotations.NullMarked;
