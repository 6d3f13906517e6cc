package hermit.cli;

import hermit.api.JsonTree;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `hermit image build`.
@Command(
        name = "build",
        description = "Builds a Debian base image with debootstrap, for machines that reach no registry. Needs root.")
final class ImageBuild implements Callable<Integer> {
    private final CliContext cli;

    @Option(names = "--tag", paramLabel = "TAG", description = "Name of the image. Default: hermit-base:SUITE.")
    private String tag = "";

    @Option(names = "--suite", paramLabel = "SUITE", description = "Debian release. Default: bookworm.")
    private String suite = "bookworm";

    ImageBuild(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        var name = tag.isEmpty() ? "hermit-base:" + suite : tag;
        Process build = cli.launcher()
                .command("base-image", "--suite", suite, "--tag", name, "--again")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        build.getOutputStream().close();
        if (build.waitFor() != 0) throw CliFailure.local("image", "Building the image %s failed".formatted(name));
        cli.output().result(JsonTree.object().put("image", name), "Built image %s".formatted(name));
        return ExitCode.OK;
    }
}
