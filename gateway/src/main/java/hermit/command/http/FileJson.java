package hermit.command.http;

import hermit.api.FileEntry;
import hermit.api.Unpacked;
import hermit.command.FileInfo;
import hermit.command.SandboxFiles;

/// Files as they travel.
final class FileJson {
    private FileJson() {}

    static FileEntry entry(FileInfo info) {
        return new FileEntry(
                info.path(),
                info.name(),
                info.type().toString(),
                info.size(),
                "%04o".formatted(info.mode()),
                info.uid(),
                info.gid(),
                info.modifiedAt(),
                info.target());
    }

    static Unpacked unpacked(SandboxFiles.Unpacked unpacked) {
        return new Unpacked(
                unpacked.refused().stream()
                        .map(each -> new Unpacked.Refused(each.name(), each.reason()))
                        .toList(),
                unpacked.count());
    }
}
