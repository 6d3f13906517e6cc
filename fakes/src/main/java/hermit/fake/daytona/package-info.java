/// A fake of Daytona: its API, its toolbox and the daemon behind it, with machines that are containers.
@NullMarked
package hermit.fake.daytona;

import org.jspecify.annotations.NullMarked;
