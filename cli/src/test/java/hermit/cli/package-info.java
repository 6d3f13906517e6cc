/// The command line as people and programs meet it: arguments in, output and exit codes out, against a fake gateway.
@NullMarked
package hermit.cli;

import org.jspecify.annotations.NullMarked;
