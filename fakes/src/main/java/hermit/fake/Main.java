package hermit.fake;

import hermit.fake.daytona.FakeDaytona;
import hermit.fake.e2b.E2bFake;
import hermit.fake.tenki.TenkiFake;
import hermit.fake.tenki.TenkiFakeSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// `hermit fake-provider e2b|daytona|tenki [--port N] [--image IMAGE]`: one fake until it is told to
/// stop. Prints what to set so that a gateway uses it. The keys are placeholders: they open nothing.
public final class Main {
    private static final String USAGE = "usage: hermit fake-provider e2b|daytona|tenki [--port N] [--image IMAGE]";
    private static final String IMAGE = "hermit-base:bookworm";
    private static final String DAYTONA_KEY = "dtn_placeholder";
    private static final String TENKI_KEY = "tk_placeholder";
    private static final int BAD_USAGE = 2;

    private Main() {}

    private record Wanted(String provider, int port, String image) {}

    public static void main(String[] args) throws InterruptedException {
        var wanted = read(List.of(args));
        if (wanted.isEmpty()) {
            System.err.println(USAGE);
            System.exit(BAD_USAGE);
        }
        try {
            serve(wanted.get());
        } catch (FakeFailure e) {
            System.err.println("hermit: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void serve(Wanted wanted) throws InterruptedException {
        var settings = new ArrayList<String>();
        var provider = start(wanted, settings);
        Runtime.getRuntime().addShutdownHook(new Thread(provider::close));
        settings.forEach(System.out::println);
        System.out.flush();
        new CountDownLatch(1).await(); // a signal ends it
    }

    private static FakeProvider start(Wanted wanted, List<String> settings) throws InterruptedException {
        return switch (wanted.provider) {
            case "e2b" -> {
                var fake = E2bFake.start(E2bFake.Settings.of(wanted.image).withPort(wanted.port));
                settings.add("E2B_API_KEY=" + E2bFake.Settings.API_KEY);
                settings.add("E2B_API_URL=" + fake.address());
                settings.add("E2B_SANDBOX_URL=" + fake.address());
                yield fake;
            }
            case "daytona" -> {
                var fake = FakeDaytona.start(new hermit.fake.daytona.Settings(
                        DAYTONA_KEY,
                        wanted.image,
                        wanted.port,
                        hermit.fake.daytona.Settings.of(wanted.image).hold(),
                        hermit.fake.daytona.Settings.of(wanted.image).memory(),
                        false));
                settings.add("DAYTONA_API_KEY=" + DAYTONA_KEY);
                settings.add("DAYTONA_API_URL=" + fake.address());
                yield fake;
            }
            default -> {
                var fake = TenkiFake.start(
                        TenkiFakeSettings.of(TENKI_KEY, wanted.image).withPorts(wanted.port, 0, 0));
                settings.add("TENKI_API_KEY=" + TENKI_KEY);
                settings.add("TENKI_API_ENDPOINT=" + fake.address());
                settings.add("# its own controls: " + fake.controls());
                yield fake;
            }
        };
    }

    /// Empty if the arguments make no sense.
    private static Optional<Wanted> read(List<String> args) {
        if (args.isEmpty() || !List.of("e2b", "daytona", "tenki").contains(args.getFirst())) return Optional.empty();
        int port = 0;
        String image = IMAGE;
        for (int i = 1; i < args.size(); i += 2) {
            if (i + 1 == args.size()) return Optional.empty();
            String value = args.get(i + 1);
            switch (args.get(i)) {
                case "--port" -> {
                    if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) > 65_535) return Optional.empty();
                    port = Integer.parseInt(value);
                }
                case "--image" -> image = value;
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(new Wanted(args.getFirst(), port, image));
    }
}
