package hermit.backend.tenki;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/// Calls with one answer. An interrupt cancels what is under way.
final class Calls {
    private Calls() {}

    private record Answer<A>(Optional<A> message, Status status, Metadata trailers) {}

    /// Sends `requests`, one if the method takes no stream, and waits for the answer.
    static <Q, A> A call(
            Channel channel, MethodDescriptor<Q, A> method, Metadata headers, Duration within, List<Q> requests)
            throws CallFailed, InterruptedException {
        var call = channel.newCall(
                method, CallOptions.DEFAULT.withDeadlineAfter(within.toMillis(), TimeUnit.MILLISECONDS));
        var answer = new CompletableFuture<Answer<A>>();
        call.start(new Listener<>(answer), headers);
        call.request(2); // so that a second answer is noticed
        requests.forEach(call::sendMessage);
        call.halfClose();
        try {
            var got = answer.get();
            if (!got.status.isOk()) throw CallFailed.of(got.status, got.trailers);
            return got.message.orElseThrow(
                    () -> CallFailed.of(Status.INTERNAL.withDescription("an answer without a message"), got.trailers));
        } catch (InterruptedException e) {
            call.cancel("interrupted", null);
            throw e;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // it is never completed so
        }
    }

    static <Q, A> A call(Channel channel, MethodDescriptor<Q, A> method, Metadata headers, Duration within, Q request)
            throws CallFailed, InterruptedException {
        return call(channel, method, headers, within, List.of(request));
    }

    private static final class Listener<A> extends ClientCall.Listener<A> {
        private final CompletableFuture<Answer<A>> answer;
        private Optional<A> message = Optional.empty();

        Listener(CompletableFuture<Answer<A>> answer) {
            this.answer = answer;
        }

        @Override
        public void onMessage(A received) {
            message = Optional.of(received);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            answer.complete(new Answer<>(message, status, trailers));
        }
    }
}
