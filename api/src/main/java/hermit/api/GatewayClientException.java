package hermit.api;

import com.fasterxml.jackson.databind.node.ObjectNode;

/// Why a call to the gateway brought no result.
public abstract sealed class GatewayClientException extends Exception {
    private GatewayClientException(String detail) {
        super(detail);
    }

    private GatewayClientException(String detail, Throwable cause) {
        super(detail, cause);
    }

    /// The gateway answered, with an error. `document` is its problem document as it came.
    public static final class Refused extends GatewayClientException {
        private final int status;
        private final transient ObjectNode document;

        public Refused(int status, ObjectNode document) {
            super(document.path("detail").asText(document.path("title").asText("HTTP status " + status)));
            this.status = status;
            this.document = document.deepCopy();
        }

        public int status() {
            return status;
        }

        /// The machine-readable word of the problem, such as `not_found`; empty when the answer had none.
        public String code() {
            return document.path("code").asText("");
        }

        public ObjectNode document() {
            return document.deepCopy();
        }
    }

    /// No answer came, or what came is not what a gateway says.
    public static final class Unreachable extends GatewayClientException {
        private final Stage stage;

        /// How far the call had come.
        public enum Stage {
            /// Nobody was there: the request was not sent, and may be sent again.
            CONNECTING,
            /// The request was sent, and there has been silence for longer than one waits. The gateway may be
            /// busy with it.
            WAITING,
            /// The request was sent, and the connection broke or carried nonsense. Whether it was carried out
            /// is unknown.
            BROKEN
        }

        public Unreachable(Stage stage, String detail, Throwable cause) {
            super(detail, cause);
            this.stage = stage;
        }

        public Unreachable(Stage stage, String detail) {
            super(detail);
            this.stage = stage;
        }

        public Stage stage() {
            return stage;
        }
    }
}
