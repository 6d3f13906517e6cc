package hermit;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/// Whether somebody asked the process to stop: TERM, or INT from a terminal. The first signal ends the wait; those
/// that follow do nothing, so that an impatient second one cannot cut short what the first has begun.
///
/// The JVM's own way, a shutdown hook, always ends with exit code 143 and lets the hooks race each other. Its
/// signal classes are exported but unofficial, and the compiler warns of every use by name: hence the reflection.
final class StopSignal {
    private final CountDownLatch asked = new CountDownLatch(1);

    /// From here on, signals are noted instead of ending the process.
    StopSignal() {
        listen("TERM");
        listen("INT");
    }

    void await() throws InterruptedException {
        asked.await();
    }

    private void listen(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object note = Proxy.newProxyInstance(
                    StopSignal.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) asked.countDown();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), note);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Java runtime does not let the gateway hear the signal " + name, e);
        }
    }
}
