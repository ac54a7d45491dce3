/** The migrations of this program, as packed by scripts/migrations.ts. */
import { readFileSync } from "node:fs";
import migrationsPath from "./data/migrations.zst" with { type: "file" };
import schemaPath from "./data/schema.zst" with { type: "file" };
import type { Migration } from "./migrate.ts";

const unpacked = (path: string): string =>
  Bun.zstdDecompressSync(readFileSync(path)).toString("utf8");

export const migrations: readonly Migration[] = JSON.parse(unpacked(migrationsPath));

/** The final schema as statements, for an empty store. */
export const schemaAfterAll = (): string => unpacked(schemaPath);
