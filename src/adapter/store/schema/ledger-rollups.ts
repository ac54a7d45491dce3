/**
 * Sums of the ledger by UTC hour and kind, kept by triggers on its tables (migration 0015), so that
 * balances of a month and a day's charges never read a million transactions.
 */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { LEDGER_KINDS } from "../../../domain/billing/stores.ts";
import { money } from "./columns.ts";

export const ledgerRollups = sqliteTable(
  "ledger_rollups",
  {
    tenantId: integer("tenant_id").notNull(),
    /** created_at of the transaction / 3,600,000 */
    hour: integer("hour").notNull(),
    kind: text("kind", { enum: LEDGER_KINDS }).notNull(),
    transactions: integer("transactions").notNull(),
    /** By how much the wallet changed. */
    wallet: money("wallet").notNull(),
    /** The account `payments`; negative: that much came in. */
    payments: money("payments").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.hour, t.kind] })],
);
