package hermit.fake.tenki;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.UncheckedIOException;

/// On the data plane, every message travels as field 1 of a wrapper.
final class Wrapped {
    private static final int FIELD = 1;
    private static final int TAG = FIELD << 3 | 2;

    private Wrapped() {}

    static byte[] wrap(MessageLite message) {
        var bytes = new byte[CodedOutputStream.computeMessageSize(FIELD, message)];
        try {
            CodedOutputStream.newInstance(bytes).writeMessage(FIELD, message);
        } catch (IOException e) {
            throw new UncheckedIOException("write into an array that is large enough", e);
        }
        return bytes;
    }

    static ByteString unwrap(byte[] wrapper) throws InvalidProtocolBufferException {
        try {
            var in = CodedInputStream.newInstance(wrapper);
            var inner = ByteString.EMPTY;
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (tag == TAG) inner = in.readBytes();
                else in.skipField(tag);
            }
            return inner;
        } catch (InvalidProtocolBufferException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException("read from an array", e);
        }
    }
}
