/**
 * Sums of the ledger per UTC hour and kind, maintained by triggers on its tables (migration 0015). So monthly
 * balances and daily charges never read a million transactions.
 */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { LEDGER_KINDS } from "../../features/billing/stores.ts";
import { money } from "./columns.ts";

export const ledgerRollups = sqliteTable(
  "ledger_rollups",
  {
    tenantId: integer("tenant_id").notNull(),
    /** created_at of the transaction / 3,600,000 */
    hour: integer("hour").notNull(),
    kind: text("kind", { enum: LEDGER_KINDS }).notNull(),
    transactions: integer("transactions").notNull(),
    /** The change of the wallet. */
    wallet: money("wallet").notNull(),
    /** The account `payments`; negative: the amount received. */
    payments: money("payments").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.hour, t.kind] })],
);
