package hermit.http;

import java.net.InetAddress;
import java.util.Collection;
import java.util.List;

/// Addresses and networks such as `10.0.0.0/8`.
final class Networks {
    private final List<Network> all;

    /// Throws [IllegalArgumentException] for what is neither.
    Networks(Collection<String> texts) {
        all = texts.stream().map(Network::parse).toList();
    }

    boolean contain(InetAddress address) {
        return all.stream().anyMatch(each -> each.contains(address.getAddress()));
    }

    private static final class Network {
        private final byte[] prefix;
        private final int bits;

        private Network(byte[] prefix, int bits) {
            this.prefix = prefix;
            this.bits = bits;
        }

        static Network parse(String text) {
            int slash = text.indexOf('/');
            byte[] prefix = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash))
                    .getAddress();
            int bits = slash < 0 ? prefix.length * 8 : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > prefix.length * 8) throw new IllegalArgumentException("not a network: " + text);
            return new Network(prefix, bits);
        }

        boolean contains(byte[] address) {
            if (address.length != prefix.length) return false;
            for (int bit = 0; bit < bits; bit++) {
                int mask = 0x80 >> (bit % 8);
                if ((address[bit / 8] & mask) != (prefix[bit / 8] & mask)) return false;
            }
            return true;
        }
    }
}
