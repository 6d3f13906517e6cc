package hermit.backend.docker;

import java.security.KeyManagementException;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/// For an engine behind a unix socket. The client library wants to know how TLS is done also where there is none, and
/// left alone reads every certificate that the system trusts, which takes a tenth of a second at each start.
final class NoTls extends SSLContext {
    NoTls() {
        super(new Refusing(), null, "none");
    }

    private static final class Refusing extends SSLContextSpi {
        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trusted, SecureRandom random)
                throws KeyManagementException {
            throw new KeyManagementException("there is no TLS on a unix socket");
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            throw refusal();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw refusal();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw refusal();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            throw refusal();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            throw refusal();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            throw refusal();
        }

        private static IllegalStateException refusal() {
            return new IllegalStateException("there is no TLS on a unix socket");
        }
    }
}
