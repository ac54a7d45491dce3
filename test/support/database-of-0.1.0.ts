/** A database as 0.1.0 left it: the schema that its 19 migrations made, told by `sqlite_schema` before they were replaced. */
import type { Database } from "bun:sqlite";
import schema from "./schema-0.1.0.json" with { type: "json" };

export interface SchemaItem {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

export const schemaOf010: SchemaItem[] = schema;

const TAGS_010 = [
  "0000_init",
  "0001_call_rollups",
  "0002_legacy_endpoints",
  "0003_outbox_ready",
  "0004_retention",
  "0005_money_months",
  "0006_shared_rate_limit",
  "0007_shared_nodes",
  "0008_identity",
  "0009_call_evidence",
  "0010_peaks_trigger",
  "0011_call_notes",
  "0012_appliance_secrets",
  "0013_contacts",
  "0014_call_purposes",
  "0015_ledger_rollups",
  "0016_call_refusals",
  "0017_calling_targets",
  "0018_trunk-channels",
];

/** Fills an empty database with that schema and one tenant, `a`. */
export function fillAs010(db: Database): void {
  const order = ["table", "index", "trigger"];
  const items = [...schema].sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  for (const { sql } of items) db.run(sql);
  db.run(
    "CREATE TABLE migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  for (const tag of TAGS_010) db.run("INSERT INTO migrations VALUES (?, 'x', 0)", [tag]);
  db.run(
    "INSERT INTO tenants (name, email, plan, time_zone, webhook_secret_sealed, webhook_secret_prefix, created_at) VALUES ('a', 'a@example.com', 'p', 'UTC', 's', 'p', 0)",
  );
}
