package hermit.fake.tenki;

import java.time.Duration;

/// How a fake Tenki is set up.
///
/// - `port`, `dataPort`, `controlsPort`: of the control plane, the data plane and the fake's own controls; 0 means any
/// that is free.
/// - `token`: the one that is accepted.
/// - `image`: of the local engine, for all machines whatever image they ask for.
/// - `dataPath`: what the addresses of machines end with, e.g. `/s/abc/`; may be empty.
/// - `credentialLife`: of the credentials for machines.
/// - `life`: of a machine for which no other is asked; half an hour, as was reported of Tenki.
/// - `grace`: between TERM and KILL where a program's time is up.
public record TenkiFakeSettings(
        String host,
        int port,
        int dataPort,
        int controlsPort,
        String token,
        String image,
        String dataPath,
        Duration credentialLife,
        Duration life,
        Duration grace) {
    public static TenkiFakeSettings of(String token, String image) {
        return new TenkiFakeSettings(
                "127.0.0.1",
                0,
                0,
                0,
                token,
                image,
                "",
                Duration.ofMinutes(5),
                Duration.ofMinutes(30),
                Duration.ofSeconds(2));
    }

    public TenkiFakeSettings withPorts(int control, int data, int controls) {
        return new TenkiFakeSettings(
                host, control, data, controls, token, image, dataPath, credentialLife, life, grace);
    }

    public TenkiFakeSettings withDataPath(String path) {
        return new TenkiFakeSettings(
                host, port, dataPort, controlsPort, token, image, path, credentialLife, life, grace);
    }

    public TenkiFakeSettings withCredentialLife(Duration life) {
        return new TenkiFakeSettings(
                host, port, dataPort, controlsPort, token, image, dataPath, life, this.life, grace);
    }

    /// Without the token.
    @Override
    public String toString() {
        return "%s:%d,%d,%d of %s".formatted(host, port, dataPort, controlsPort, image);
    }
}
