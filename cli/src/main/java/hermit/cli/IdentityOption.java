package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import java.util.Optional;
import picocli.CommandLine.Option;

/// Who somebody is on a channel.
final class IdentityOption {
    @Option(names = "--channel", paramLabel = "CHANNEL", description = "A channel, such as telegram.")
    private Optional<String> channel = Optional.empty();

    @Option(
            names = "--channel-user-id",
            paramLabel = "ID",
            description = "What the person is known as there; needs --channel.")
    private Optional<String> channelUserId = Optional.empty();

    @Option(names = "--display-name", paramLabel = "NAME", description = "What they are called there.")
    private Optional<String> displayName = Optional.empty();

    /// Whether anything of it was given.
    boolean given() {
        return channel.isPresent() || channelUserId.isPresent() || displayName.isPresent();
    }

    /// Adds the fields of it to the body of a request.
    ///
    /// @throws CliFailure if it is not whole
    void into(ObjectNode body) throws CliFailure {
        if (channel.isEmpty() || channelUserId.isEmpty())
            throw CliFailure.usage("Somebody on a channel is named by both --channel and --channel-user-id");
        body.put("channel", channel.get()).put("channel_user_id", channelUserId.get());
        displayName.ifPresent(name -> body.put("display_name", name));
    }

    /// It as the query of a request that removes it.
    String query() throws CliFailure {
        if (channel.isEmpty() || channelUserId.isEmpty())
            throw CliFailure.usage("Somebody on a channel is named by both --channel and --channel-user-id");
        if (displayName.isPresent()) throw CliFailure.usage("--display-name says nothing about what to remove");
        return "?channel=%s&channel_user_id=%s"
                .formatted(GatewayClient.encode(channel.get()), GatewayClient.encode(channelUserId.get()));
    }
}
