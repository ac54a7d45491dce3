/**
 * All values sealed under the master key, each with its binding. A key rotation processes them. A test
 * compares the list with the schema.
 */
import { sql } from "drizzle-orm";
import type { Queries } from "../core/database.ts";
import { totpBinding } from "../features/identity/second-factor.ts";
import { trunkPasswordBinding } from "../features/trunk/trunk-store.ts";
import {
  crmSecretBinding,
  idempotencyBinding,
  tenantSecretBinding,
  toolSecretBinding,
  webhookSecretBinding,
} from "../platform/secrets/secret-binding.ts";

interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly binding: (row: SealedRow) => string;
}

/** `name` is the row's key, for tables with another key besides the id. */
interface SealedRow {
  readonly rowid: number;
  readonly tenantId: number;
  readonly name: string;
  readonly sealed: string;
}

export const applianceSecretBinding = (name: string): string => `appliance:${name}`;
const totp = ({ rowid }: SealedRow) => totpBinding(rowid);

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: "appliance_secrets",
    column: "sealed",
    binding: ({ name }) => applianceSecretBinding(name),
  },
  {
    table: "trunks",
    column: "password_sealed",
    binding: ({ rowid }) => trunkPasswordBinding(rowid),
  },
  {
    table: "tenants",
    column: "webhook_secret_sealed",
    binding: ({ rowid }) => tenantSecretBinding(rowid),
  },
  {
    table: "webhooks",
    column: "secret_sealed",
    binding: ({ rowid }) => webhookSecretBinding(rowid),
  },
  { table: "tools", column: "secret_sealed", binding: ({ rowid }) => toolSecretBinding(rowid) },
  {
    table: "feature_settings",
    column: "crm_secret_sealed",
    binding: ({ rowid }) => crmSecretBinding(rowid),
  },
  { table: "users", column: "totp_sealed", binding: totp },
  { table: "users", column: "totp_pending_sealed", binding: totp },
  {
    table: "idempotency",
    column: "response",
    binding: ({ tenantId, name }) => idempotencyBinding(tenantId, name),
  },
];

/** Names of rows in a binding, for tables that do not use the id. */
const NAMES: Readonly<Record<string, { readonly tenantId: string; readonly name: string }>> = {
  appliance_secrets: { tenantId: "0", name: "name" },
  idempotency: { tenantId: "tenant_id", name: "key" },
};
const UNNAMED = { tenantId: "0", name: "''" };

export function encryptedColumns(queries: Queries) {
  return {
    async rows({ table, column }: SealedColumn): Promise<readonly SealedRow[]> {
      const { tenantId, name } = NAMES[table] ?? UNNAMED;
      const [from, sealed] = [sql.identifier(table), sql.identifier(column)];
      return await queries.all<SealedRow>(
        sql`SELECT rowid AS rowid, ${sql.raw(tenantId)} AS "tenantId", ${sql.raw(name)} AS name, ${sealed} AS sealed FROM ${from} WHERE ${sealed} IS NOT NULL`,
      );
    },

    async replace({ table, column }: SealedColumn, rowid: number, sealed: string): Promise<void> {
      await queries.run(
        sql`UPDATE ${sql.identifier(table)} SET ${sql.identifier(column)} = ${sealed} WHERE rowid = ${rowid}`,
      );
    },

    /** One of the appliance's secrets; null if not created yet. */
    async secret(name: string): Promise<string | null> {
      const [found] = await queries.all<{ sealed: string }>(
        sql`SELECT sealed FROM appliance_secrets WHERE name = ${name}`,
      );
      return found?.sealed ?? null;
    },

    async replaceSecret(name: string, sealed: string): Promise<void> {
      await queries.run(sql`UPDATE appliance_secrets SET sealed = ${sealed} WHERE name = ${name}`);
    },

    /** Returns false if it exists already (another process created it first). */
    async addSecret(name: string, sealed: string): Promise<boolean> {
      const added = await queries.all<{ name: string }>(
        sql`INSERT INTO appliance_secrets (name, sealed) VALUES (${name}, ${sealed}) ON CONFLICT DO NOTHING RETURNING name`,
      );
      return added.length > 0;
    },
  };
}
