/**
 * Moves the data from the file to a libSQL server or back: a copy into an empty store, verified row by row,
 * while the source is not in use.
 */
import { existsSync } from "node:fs";
import { type Clock, sleep } from "../../core/clock.ts";
import { AppError, notFound } from "../../core/errors.ts";
import type { Random } from "../../core/random.ts";
import { openRawFile, openRawServer, type RawStore } from "../../store/copy/raw-store.ts";
import {
  type CopiedTable,
  copyStore,
  isCopyBegun,
  requireUpToDate,
} from "../../store/copy/store-copy.ts";
import { openRemoteDatabase, type RemoteAddress } from "../../store/libsql/database.ts";
import { migrations } from "../../store/migration/migrations.ts";
import { openDatabase } from "../../store/sqlite/database.ts";

/** Path of a file, or a server. */
export type StorePlace = string | RemoteAddress;

/** Longer than two lease renewals, so a running node is detected. */
const WATCH_MS = 5_000;

const open = (place: StorePlace, readOnly: boolean): RawStore =>
  typeof place === "string" ? openRawFile(place, readOnly) : openRawServer(place);

/** Throws not_found, conflict, MigrationRejected, StoreUnreachable. */
export async function copyStoreTo(
  from: StorePlace,
  to: StorePlace,
  deps: { readonly clock: Clock; readonly random: Random },
): Promise<CopiedTable[]> {
  if (typeof from === "string" && !existsSync(from)) throw notFound("database");
  const source = open(from, true);
  try {
    await requireUpToDate(source, migrations);
    if (typeof from !== "string") await requireUnused(source, deps.clock);
    await prepare(to, deps);
    const target = open(to, false);
    try {
      return await copyStore(source, target);
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}

/** Throws conflict if a running node renews its leases in the store. */
async function requireUnused(store: RawStore, clock: Clock): Promise<void> {
  const beats = async () =>
    JSON.stringify([
      ...(await store.rows("SELECT id, beat FROM nodes ORDER BY id")).map(String),
      ...(await store.rows("SELECT trunk_id, beat FROM trunk_leases ORDER BY trunk_id")).map(
        String,
      ),
    ]);
  const before = await beats();
  await sleep(clock, WATCH_MS);
  if ((await beats()) !== before)
    throw new AppError({
      code: "conflict",
      publicMessage: `Nodes still use ${store.name}. Stop all of them first (\`linevoice nodes\`).`,
    });
}

/** Creates the tables, unless an earlier copy was interrupted. */
async function prepare(
  to: StorePlace,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<void> {
  const target = open(to, false);
  try {
    if (await isCopyBegun(target)) return;
  } finally {
    target.close();
  }
  const database =
    typeof to === "string"
      ? openDatabase(to, clock.now())
      : await openRemoteDatabase(to, { clock, random, owner: "store copy" });
  await database.close();
}
