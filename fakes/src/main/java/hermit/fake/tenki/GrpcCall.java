package hermit.fake.tenki;

import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2StreamChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2StreamFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// One call as its server sees it. One thread reads; several may send.
final class GrpcCall {
    static final long REFUSED_STREAM = 7;
    static final long CANCEL = 8;

    /// What a call does with its answers.
    enum Manner {
        NORMAL,
        /// Nothing is ever sent.
        MUTE,
        /// Nothing is sent, and the connection is closed instead of the end.
        LOSING
    }

    /// No piece is empty but this.
    private static final byte[] END = new byte[0];
    private static final int PREFIX = 5;

    private final Http2StreamChannel stream;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> gone = new CompletableFuture<>();
    private final AtomicBoolean finished = new AtomicBoolean();
    private final ReentrantLock sending = new ReentrantLock();
    private Consumer<byte[]> listener = _ -> {};
    private byte[] unread = new byte[0];
    private boolean headersSent;
    private volatile Manner manner = Manner.NORMAL;
    private long cutAfter = Long.MAX_VALUE;

    GrpcCall(Http2StreamChannel stream, Http2Headers headers) {
        this.stream = stream;
        headers.forEach(each ->
                this.headers.put(each.getKey().toString(), each.getValue().toString()));
    }

    /// In lower case, `:path` and its like among them.
    Map<String, String> headers() {
        return headers;
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    String path() {
        return header(":path");
    }

    void manner(Manner wanted) {
        manner = wanted;
    }

    /// Resets the stream once so many bytes of messages were sent.
    void cutAfter(long bytes) {
        cutAfter = bytes;
    }

    /// Told of each further message, before anybody else gets it.
    void onMessage(Consumer<byte[]> told) {
        listener = told;
    }

    /// Completed when the stream is closed, whoever closed it.
    CompletableFuture<Void> whenGone() {
        return gone;
    }

    /// The next message; empty when the client has half-closed.
    Optional<byte[]> next() throws InterruptedException, ClientGone {
        while (unread.length < PREFIX || unread.length < PREFIX + length()) {
            if (pieces.isEmpty()) stream.read();
            byte[] piece = pieces.take();
            if (piece.length == 0) {
                pieces.add(END);
                if (gone.isDone()) throw new ClientGone();
                return Optional.empty();
            }
            int before = unread.length;
            unread = Arrays.copyOf(unread, before + piece.length);
            System.arraycopy(piece, 0, unread, before, piece.length);
        }
        int end = PREFIX + length();
        byte[] message = Arrays.copyOfRange(unread, PREFIX, end);
        unread = Arrays.copyOfRange(unread, end, unread.length);
        listener.accept(message);
        return Optional.of(message);
    }

    private int length() {
        return ByteBuffer.wrap(unread).getInt(1);
    }

    /// Returns when the connection has taken it, which waits for a client that does not read.
    void send(byte[] message) throws InterruptedException, ClientGone {
        if (manner != Manner.NORMAL) return;
        sending.lockInterruptibly();
        try {
            if (finished.get()) throw new ClientGone();
            if (!headersSent) {
                headersSent = true;
                write(new DefaultHttp2HeadersFrame(answerHeaders()));
            }
            var framed = Unpooled.buffer(PREFIX + message.length);
            framed.writeByte(0).writeInt(message.length).writeBytes(message);
            write(new DefaultHttp2DataFrame(framed));
            cutAfter -= message.length;
            if (cutAfter <= 0) {
                reset(CANCEL);
                throw new ClientGone();
            }
        } finally {
            sending.unlock();
        }
    }

    /// Ends the call with a status; only the first end counts.
    void end(Status.Code code, String message, Map<String, String> trailers) {
        if (manner == Manner.MUTE || !finished.compareAndSet(false, true)) return;
        if (manner == Manner.LOSING) {
            var _ = stream.parent().close();
            return;
        }
        Http2Headers last = headersSent ? new DefaultHttp2Headers() : answerHeaders();
        last.set("grpc-status", Integer.toString(code.value()));
        if (!message.isEmpty()) last.set("grpc-message", percent(message));
        trailers.forEach(last::set);
        var _ = stream.writeAndFlush(new DefaultHttp2HeadersFrame(last, true));
    }

    void end() {
        end(Status.Code.OK, "", Map.of());
    }

    /// Answers as something that knows no gRPC.
    void plain(int status, Map<String, String> more, String body) {
        if (!finished.compareAndSet(false, true)) return;
        var answer = new DefaultHttp2Headers().status(Integer.toString(status)).set("content-type", "text/plain");
        more.forEach(answer::set);
        var _ = stream.write(new DefaultHttp2HeadersFrame(answer));
        var _ = stream.writeAndFlush(
                new DefaultHttp2DataFrame(Unpooled.copiedBuffer(body, StandardCharsets.UTF_8), true));
    }

    void reset(long code) {
        if (!finished.compareAndSet(false, true)) return;
        var _ = stream.writeAndFlush(new DefaultHttp2ResetFrame(code));
    }

    void arrived(byte[] piece) {
        if (piece.length > 0) pieces.add(piece);
        // An empty frame is no message, and the one after it must be asked for.
        else stream.read();
    }

    void ended() {
        pieces.add(END);
    }

    void gone() {
        finished.set(true);
        gone.complete(null);
        pieces.add(END);
    }

    private void write(Http2StreamFrame frame) throws InterruptedException, ClientGone {
        // What is given to a loop that has ended is never told about.
        if (stream.eventLoop().isShuttingDown()) throw new ClientGone();
        var written = new CompletableFuture<Void>();
        var _ = stream.writeAndFlush(frame).addListener(done -> {
            if (done.isSuccess()) written.complete(null);
            else written.completeExceptionally(done.cause());
        });
        try {
            CompletableFuture.anyOf(written, gone).get();
        } catch (ExecutionException e) {
            throw new ClientGone();
        }
        if (gone.isDone()) throw new ClientGone();
    }

    private static Http2Headers answerHeaders() {
        return new DefaultHttp2Headers().status("200").set("content-type", "application/grpc");
    }

    /// As gRPC wants it in `grpc-message`.
    private static String percent(String message) {
        var encoded = new StringBuilder();
        for (byte each : message.getBytes(StandardCharsets.UTF_8)) {
            if (each >= ' ' && each <= '~' && each != '%') encoded.append((char) each);
            else encoded.append("%%%02X".formatted(each));
        }
        return encoded.toString();
    }
}
