/** Claims of tenants to numbers: `phone_numbers`, with the notices, audit entries and mails about them. */
import { and, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { ownedBy } from "../../store/query/owned-rows.ts";
import { readerLocale } from "../../store/query/reader-locale.ts";
import { callNotices, phoneNumbers, tenants } from "../../store/schema/index.ts";
import { auditStore } from "../identity/audit-store.ts";
import { mailStore } from "../mail/mail-store.ts";
import type { ClaimRecords } from "../number/claims.ts";
import { numberStore } from "../number/number-store.ts";

export function numberClaimStore(queries: Queries): ClaimRecords {
  const { claimsOf, insert } = numberStore(queries);
  return {
    claimsOf,
    insert,
    enqueue: mailStore(queries).enqueue,

    async put({ tenantId, id }, changes) {
      await queries
        .update(phoneNumbers)
        .set(changes)
        .where(ownedBy(phoneNumbers, tenantId, id));
    },

    async removeNotices(numberE164) {
      const ofNumbers = inArray(callNotices.kind, ["number_conflict", "number_claimed"]);
      await queries.delete(callNotices).where(and(ofNumbers, eq(callNotices.subject, numberE164)));
    },

    audit: ({ tenantId, id }, { action, numberE164, at }) =>
      auditStore(queries).insert({
        tenantId,
        userId: null,
        userEmail: null,
        action,
        target: `/phone-numbers/${id}`,
        ip: "",
        outcome: "done",
        details: { subject: numberE164 },
        at,
      }),

    reader: (tenantId) =>
      queries
        .select({ id: tenants.id, name: tenants.name, email: tenants.email, locale: readerLocale })
        .from(tenants)
        .where(eq(tenants.id, tenantId))
        .get(),
  };
}
