package hermit.fake.tenki;

import hermit.fake.FakeFailure;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.group.ChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.group.DefaultChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2DataFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2HeadersFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2StreamChannel;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import io.grpc.netty.shaded.io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// HTTP/2 with prior knowledge, and a virtual thread for each call. Written upon frames rather than upon a gRPC
/// server, because a fake must also do what such a server never does: answer in plain HTTP, refuse a stream, and lose
/// a connection.
final class GrpcServer implements AutoCloseable {
    interface Handler {
        void handle(GrpcCall call) throws InterruptedException;
    }

    private final EventLoopGroup loops;
    private final Channel listening;
    private final ChannelGroup connections;

    private GrpcServer(EventLoopGroup loops, Channel listening, ChannelGroup connections) {
        this.loops = loops;
        this.listening = listening;
        this.connections = connections;
    }

    static GrpcServer start(String host, int port, Handler handler) throws InterruptedException {
        var loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        var connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        var bound = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connections.add(connection);
                        connection
                                .pipeline()
                                .addLast(Http2FrameCodecBuilder.forServer().build());
                        connection.pipeline().addLast(new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel stream) {
                                stream.config().setAutoRead(false);
                                stream.pipeline().addLast(new StreamHandler(handler));
                                stream.read();
                            }
                        }));
                        connection.pipeline().addLast(new LostConnection());
                    }
                })
                .bind(new InetSocketAddress(host, port))
                .await();
        if (!bound.isSuccess()) {
            var _ = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new FakeFailure("listen on %s:%d: %s".formatted(host, port, bound.cause()), bound.cause());
        }
        return new GrpcServer(loops, bound.channel(), connections);
    }

    int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    @Override
    public void close() {
        var _ = listening.close();
        var _ = connections.close();
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /// A client that is killed does not say so.
    private static final class LostConnection extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            var _ = context.close();
        }
    }

    /// Puts the frames of one stream into its call.
    private static final class StreamHandler extends ChannelInboundHandlerAdapter {
        private final Handler handler;
        private @Nullable GrpcCall call;

        StreamHandler(Handler handler) {
            this.handler = handler;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            try {
                if (frame instanceof Http2HeadersFrame headers && call == null) {
                    var begun = new GrpcCall((Http2StreamChannel) context.channel(), headers.headers());
                    call = begun;
                    if (headers.isEndStream()) begun.ended();
                    Thread.ofVirtual().name("call").start(() -> run(begun));
                } else if (frame instanceof Http2DataFrame data && call != null) {
                    var bytes = new byte[data.content().readableBytes()];
                    data.content().readBytes(bytes);
                    call.arrived(bytes);
                    if (data.isEndStream()) call.ended();
                }
            } finally {
                ReferenceCountUtil.release(frame);
            }
        }

        private void run(GrpcCall begun) {
            try {
                handler.handle(begun);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RejectedExecutionException e) {
                // The server has been closed under the call.
                begun.gone();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            // A reset by the client comes as an event; the stream is closed after it.
            ReferenceCountUtil.release(event);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (call != null) call.gone();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            var _ = context.close();
        }
    }
}
