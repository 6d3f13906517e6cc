package hermit.http;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.server.Request;

/// Finds out where a caller is. What `X-Forwarded-For` or `Forwarded` says is looked at only where a trusted proxy has
/// sent the request, and read from its end: each proxy adds whom it has seen, and all before the first one that is not
/// ours may be made up.
final class ClientAddresses {
    private final Networks trusted;

    ClientAddresses(Collection<String> trustedProxies) {
        trusted = new Networks(trustedProxies);
    }

    String of(HttpServletRequest request) {
        return of(new Sender(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name))));
    }

    /// The same before a servlet has seen the request.
    String of(Request request) {
        return of(new Sender(Request.getRemoteAddr(request), request.getHeaders()::getValuesList));
    }

    /// - `peer`: the connection's other end.
    /// - `headers`: the lines of a header.
    private record Sender(String peer, Function<String, List<String>> headers) {}

    private String of(Sender request) {
        Optional<InetAddress> peer = parse(request.peer());
        if (peer.isEmpty() || !trusted.contain(peer.get())) return text(peer, request);
        List<List<String>> told = new ArrayList<>();
        List<String> simple = lines(request, "X-Forwarded-For");
        if (!simple.isEmpty()) told.add(simple);
        List<String> standard = lines(request, "Forwarded");
        if (!standard.isEmpty())
            told.add(standard.stream().map(each -> parameter(each, "for")).toList());
        var clients =
                told.stream().map(hops -> client(peer.get(), hops)).distinct().toList();
        // Of two headers that disagree one is not the proxy's, and nobody knows which.
        return clients.size() == 1 ? clients.getFirst().getHostAddress() : text(peer, request);
    }

    /// Whether the caller has used TLS, as far as that can be known.
    boolean isSecure(HttpServletRequest request) {
        if (request.isSecure()) return true;
        if (parse(request.getRemoteAddr()).filter(trusted::contain).isEmpty()) return false;
        var sender = new Sender(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name)));
        List<String> simple = lines(sender, "X-Forwarded-Proto");
        List<String> standard = lines(sender, "Forwarded");
        if (!simple.isEmpty()) return simple.getLast().equalsIgnoreCase("https");
        return !standard.isEmpty() && parameter(standard.getLast(), "proto").equalsIgnoreCase("https");
    }

    /// The nearest that is no proxy of ours.
    private InetAddress client(InetAddress peer, List<String> hops) {
        InetAddress nearest = peer;
        for (String each : hops.reversed()) {
            Optional<InetAddress> hop = parse(each);
            if (hop.isEmpty()) return nearest;
            nearest = hop.get();
            if (!trusted.contain(nearest)) return nearest;
        }
        return nearest;
    }

    private static String text(Optional<InetAddress> peer, Sender request) {
        return peer.map(InetAddress::getHostAddress).orElseGet(request::peer);
    }

    /// The elements of a header that may come several times, in order.
    private static List<String> lines(Sender request, String header) {
        var elements = new ArrayList<String>();
        for (String line : request.headers().apply(header))
            for (String each : line.split(",", -1)) elements.add(each.strip());
        return elements;
    }

    /// As in `for="[2001:db8::1]:4711";proto=https` (RFC 7239); empty if it is not there.
    private static String parameter(String element, String name) {
        for (String pair : element.split(";", -1)) {
            int sign = pair.indexOf('=');
            if (sign > 0
                    && pair.substring(0, sign).strip().toLowerCase(Locale.ROOT).equals(name))
                return pair.substring(sign + 1).strip().replace("\"", "");
        }
        return "";
    }

    /// An address, with or without brackets and a port. A name is none: nobody asks the network here.
    private static Optional<InetAddress> parse(String text) {
        String address = text;
        if (text.startsWith("[") && text.contains("]")) address = text.substring(1, text.indexOf(']'));
        else if (text.indexOf(':') > 0 && text.indexOf(':') == text.lastIndexOf(':'))
            address = text.substring(0, text.indexOf(':'));
        try {
            return Optional.of(InetAddress.ofLiteral(address));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
