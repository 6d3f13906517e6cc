package hermit.backend.keeper;

import hermit.exec.ByteSize;

/// What the keeper is to see to while it runs a command.
///
/// - `path`: the directory that may take no more than `limit` on the disk, with all below it.
/// - `newFiles`: the command only makes new files, so that none of them can be larger than what is left.
record DiskLimit(ByteSize limit, String path, boolean newFiles) {}
