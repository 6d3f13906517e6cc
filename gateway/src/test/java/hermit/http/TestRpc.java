package hermit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import hermit.api.ApiJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// A client of JSON-RPC over a WebSocket. What comes before that which it waits for is kept.
public final class TestRpc implements AutoCloseable {
    public final TestSocket socket;
    private final List<Map<String, Object>> kept = new ArrayList<>();
    private int last;

    public TestRpc(int port, String path, String token) {
        socket = TestSocket.open(port, path, token);
    }

    /// The whole answer to a request.
    public Map<String, Object> call(String method, Map<String, Object> params) throws InterruptedException {
        int id = send(method, params);
        return answer(id);
    }

    /// The id under which it was sent.
    public int send(String method, Map<String, Object> params) {
        var request = new LinkedHashMap<String, Object>();
        request.put("jsonrpc", "2.0");
        request.put("id", ++last);
        request.put("method", method);
        request.put("params", params);
        try {
            socket.send(ApiJson.mapper().writeValueAsString(request));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
        return last;
    }

    public Map<String, Object> answer(int id) throws InterruptedException {
        return first(message -> Integer.valueOf(id).equals(message.get("id")));
    }

    /// The params of the next notification of this method.
    public Map<String, Object> notification(String method) throws InterruptedException {
        return part(first(message -> method.equals(message.get("method"))), "params");
    }

    private Map<String, Object> first(Predicate<Map<String, Object>> wanted) throws InterruptedException {
        var earlier = kept.stream().filter(wanted).findFirst();
        if (earlier.isPresent()) {
            kept.remove(earlier.get());
            return earlier.get();
        }
        while (true) {
            var message = socket.message();
            if (wanted.test(message)) return message;
            kept.add(message);
        }
    }

    public Map<String, Object> result(String method, Map<String, Object> params) throws InterruptedException {
        var answer = call(method, params);
        if (!answer.containsKey("result") || answer.containsKey("error")) throw new AssertionError(answer.toString());
        return part(answer, "result");
    }

    /// The data of the error that a call is refused with.
    public Map<String, Object> problem(String method, Map<String, Object> params) throws InterruptedException {
        return part(part(call(method, params), "error"), "data");
    }

    public static Map<String, Object> part(Map<String, Object> whole, String name) {
        if (!(whole.get(name) instanceof Map<?, ?> found)) throw new AssertionError(whole.toString());
        var part = new LinkedHashMap<String, Object>();
        found.forEach((key, value) -> part.put(String.valueOf(key), value));
        return part;
    }

    @Override
    public void close() {
        socket.close();
    }
}
