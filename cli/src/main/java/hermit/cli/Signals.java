package hermit.cli;

import java.lang.reflect.Proxy;

/// Signals to this process. The JVM's classes for them are exported but unofficial, and the compiler warns of
/// every use by name: hence the reflection.
final class Signals {
    private Signals() {}

    /// From now on, the signal with this name (`INT`) runs `action` instead of what it did.
    static void whenAsked(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object run = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) action.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), run);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Java runtime does not let programs hear the signal " + name, e);
        }
    }
}
