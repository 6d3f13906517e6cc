package hermit.config;

import hermit.problem.Fields;

/// What is recorded of what was done. `commandText`: commands with their text, and not only its digest.
public record AuditSettings(boolean commandText) {
    static AuditSettings read(Fields document) {
        Fields block = document.nested("audit").orElseGet(Blocks::empty);
        var settings = new AuditSettings(block.bool("command_text").orElse(true));
        block.close();
        return settings;
    }
}
