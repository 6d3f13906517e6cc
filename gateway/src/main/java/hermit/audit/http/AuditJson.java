package hermit.audit.http;

import hermit.audit.AuditEntry;
import hermit.audit.AuditRecord;
import hermit.audit.AuditVerification;

/// The audit as it travels.
final class AuditJson {
    private AuditJson() {}

    static hermit.api.AuditRecord record(AuditRecord record) {
        AuditEntry entry = record.entry();
        return new hermit.api.AuditRecord(
                record.gateway(),
                record.number(),
                entry.at(),
                entry.who(),
                entry.address(),
                entry.action(),
                entry.agentUid(),
                entry.target(),
                entry.result(),
                entry.requestId(),
                entry.details(),
                record.previousSha256(),
                record.sha256());
    }

    static hermit.api.AuditVerification verification(AuditVerification found) {
        var chains = found.chains().stream()
                .map(each -> new hermit.api.AuditVerification.Chain(each.gateway(), each.records(), each.firstBroken()))
                .toList();
        return new hermit.api.AuditVerification(found.isIntact() ? "intact" : "broken", chains);
    }
}
