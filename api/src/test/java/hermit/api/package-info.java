/// The client against servers that behave well and badly.
@NullMarked
package hermit.api;

import org.jspecify.annotations.NullMarked;
