/**
 * 10,000 histories leave the same balances, ledger, plan seconds, holds, events, deliveries and recordings as when
 * they were recorded. A sample always runs; LINEVOICE_HISTORIES=10000 runs all. LINEVOICE_RECORD_HISTORIES=1
 * records them again, which only an intended change of a rule may need.
 */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import recorded from "../fixtures/recorded-histories.json" with { type: "json" };
import { digestOfHistories } from "../support/store/recorded-histories.ts";
import { isRemote, openTestDatabase } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Histories per database and digest. */
const BLOCK = 100;
const ALL = 10_000;
const HISTORIES = Number(process.env.LINEVOICE_HISTORIES ?? (isRemote ? 100 : 400));
const directory = tempDir();

const digestOf = (block: number) =>
  digestOfHistories(
    (nowMs) => openTestDatabase(join(directory, `histories-${block}.db`), nowMs),
    block * BLOCK,
    BLOCK,
  );

if (process.env.LINEVOICE_RECORD_HISTORIES === "1")
  test("record", async () => {
    const digests: string[] = [];
    for (let block = 0; block < ALL / BLOCK; block++) digests.push(await digestOf(block));
    const file = join(import.meta.dir, "../fixtures/recorded-histories.json");
    writeFileSync(file, `${JSON.stringify(digests, null, 2)}\n`);
  }, 3_600_000);
else
  test(
    `${HISTORIES} histories leave the recorded rows`,
    async () => {
      // From all over the record: each run uses the same ones.
      const step = Math.max(1, Math.floor(ALL / HISTORIES));
      for (let block = 0; block < ALL / BLOCK; block += step)
        expect([block, await digestOf(block)]).toEqual([block, recorded[block] ?? ""]);
    },
    60_000 + HISTORIES * 500,
  );
