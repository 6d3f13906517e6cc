package hermit.http;

import hermit.api.RpcError;
import java.util.Optional;

/// One request and whom it is answered to. A notification is not answered, whatever becomes of it.
record RpcExchange(WebSocketPeer peer, RpcRequest request) {
    void answer(Optional<?> result) throws InterruptedException {
        if (request.id().isPresent()) peer.send(RpcMessages.result(request.id().get(), result));
    }

    void refuse(RpcError why) throws InterruptedException {
        if (request.id().isPresent()) peer.send(RpcMessages.error(request.id().get(), why));
    }
}
