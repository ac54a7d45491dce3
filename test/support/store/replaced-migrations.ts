/** The baseline, and the migrations that `0001_since_0_1_0` and `0002_trials_and_claims` replaced. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Migration } from "../../../src/store/migration/migrate.ts";
import { migrations } from "../../../src/store/migration/migrations.ts";

const FILE = join(import.meta.dir, "../../fixtures/migrations-after-0.1.0.sql");

const replaced = readFileSync(FILE, "utf8")
  .split(/^-- migration: /m)
  .slice(1)
  .map((text): Migration => {
    const end = text.indexOf("\n");
    return { tag: text.slice(0, end), createdAt: 0, sql: text.slice(end + 1) };
  });

export const replacedMigrations: readonly Migration[] = [...migrations.slice(0, 1), ...replaced];
