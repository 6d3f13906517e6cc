package hermit.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// The few functions of the C library that know a terminal. What `struct termios` looks like differs between
/// systems and does not matter here: the library fills it, `cfmakeraw(3)` changes it, and the library takes
/// it back.
final class CLibrary {
    private static final int STDIN = 0;
    private static final int STDOUT = 1;
    private static final int TCSANOW = 0;
    /// Linux has 60 bytes, macOS 72.
    private static final long TERMIOS_BYTES = 256;
    /// Four shorts everywhere: rows, columns, and the same in pixels.
    private static final long WINSIZE_BYTES = 8;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle TCGETATTR = function(
            "tcgetattr", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    private static final MethodHandle TCSETATTR = function(
            "tcsetattr",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    private static final MethodHandle CFMAKERAW = function("cfmakeraw", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    private static final MethodHandle IOCTL = function(
            "ioctl",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
            Linker.Option.firstVariadicArg(2));

    private CLibrary() {}

    /// How the terminal on stdin is set; empty if there is none.
    static Optional<MemorySegment> modes(Arena arena) {
        MemorySegment termios = arena.allocate(TERMIOS_BYTES);
        return call(() -> (int) TCGETATTR.invokeExact(STDIN, termios)) == 0 ? Optional.of(termios) : Optional.empty();
    }

    /// The same modes, made raw.
    static MemorySegment raw(MemorySegment modes, Arena arena) {
        MemorySegment raw = arena.allocate(TERMIOS_BYTES).copyFrom(modes);
        call(() -> {
            CFMAKERAW.invokeExact(raw);
            return 0;
        });
        return raw;
    }

    /// Whether the terminal on stdin has taken them.
    static boolean set(MemorySegment modes) {
        return call(() -> (int) TCSETATTR.invokeExact(STDIN, TCSANOW, modes)) == 0;
    }

    /// The size of the terminal on stdout; zeros if there is none.
    static LocalTerminal.Size size() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment winsize = arena.allocate(WINSIZE_BYTES, Short.BYTES);
            call(() -> (int) IOCTL.invokeExact(STDOUT, getWinsize(), winsize));
            return new LocalTerminal.Size(
                    Short.toUnsignedInt(winsize.getAtIndex(ValueLayout.JAVA_SHORT, 1)),
                    Short.toUnsignedInt(winsize.getAtIndex(ValueLayout.JAVA_SHORT, 0)));
        }
    }

    /// `TIOCGWINSZ`, from the systems' `asm-generic/ioctls.h` and `sys/ttycom.h`.
    private static long getWinsize() {
        return System.getProperty("os.name").startsWith("Mac") ? 0x40087468L : 0x5413L;
    }

    @SuppressWarnings("restricted") // the launcher gives native access to the one command that needs it
    private static MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
    }

    @FunctionalInterface
    private interface Call {
        int run() throws Throwable;
    }

    private static int call(Call call) {
        try {
            return call.run();
        } catch (Throwable e) {
            // The functions themselves throw nothing; what comes is of the JVM, e.g. no native access.
            throw new IllegalStateException("call the C library", e);
        }
    }
}
