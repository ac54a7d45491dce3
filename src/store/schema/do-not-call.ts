/** Do-not-call requests of people without other stored data: only a fingerprint of the number. */
import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, time } from "./columns.ts";
import { tenantId } from "./tenants.ts";

export const doNotCallEntries = sqliteTable(
  "call_refusals",
  {
    id: id(),
    tenantId: tenantId(),
    /** HMAC-SHA-256 of tenant and number under a key of the appliance (contact/do-not-call.ts). */
    numberHash: text("number_hash").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [uniqueIndex("call_refusals_once").on(t.tenantId, t.numberHash)],
);
