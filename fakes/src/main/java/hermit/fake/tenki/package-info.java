/// Tenki's wire: a control plane that makes machines, and a data plane for what goes on in them.
@NullMarked
package hermit.fake.tenki;

import org.jspecify.annotations.NullMarked;
