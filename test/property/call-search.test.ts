/**
 * The word search finds the same as a reading of all calls, in the same order, however many of them are in the
 * index: random calls in four languages, of two tenants with the same words. 60 times, on a database server 20.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { indexSomeCalls } from "../../src/app/call-indexing.ts";
import { createCallSearch } from "../../src/features/call-log/call-search.ts";
import { searchIndexStore } from "../../src/features/call-log/search-index-store.ts";
import { insertCalls, insertContact, scanned } from "../support/store/searched-calls.ts";
import { insertTenant } from "../support/store/stored-rows.ts";
import { isRemote, openTestDatabase } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(240_000);

const WORDS = [
  ...[
    "Sąskaita",
    "saskaitos",
    "neSĄSKAITA",
    "ačiū",
    "ščiŽurys",
    "Ķēniņš",
    "rīga",
    "RĪGAS",
    "šodien",
  ],
  ...[
    "счёт",
    "СЧЕТ",
    "счета",
    "й",
    "hello",
    "Hell",
    "shell",
    "e\u0301",
    "don't",
    "25",
    "a",
    "ß",
    "İzmir",
  ],
  ...[
    "+37061234567",
    "1234",
    "€",
    "x@y.lt",
    "😀",
    "😁",
    "_",
    '"',
    "*",
    "NEAR",
    "-",
    ":",
    "(",
    "x".repeat(40),
  ],
];
const word = fc.constantFrom(...WORDS);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", " ", ", ", "", "\n", "\u00a0")), { maxLength: 6 })
  .map((parts) => parts.flat().join(""));
const call = fc.record({
  said: fc.array(text, { maxLength: 3 }),
  summary: fc.option(text),
  createdAt: fc.integer({ min: 0, max: 20 }),
  isOpen: fc.boolean(),
  direction: fc.constantFrom("inbound" as const, "outbound" as const),
  fromNumber: fc.constantFrom("+37061234567", "+37061000009", "", "anonymous", "ąnonymous"),
});
/** A part of a text, or something else. */
const sought = fc.oneof(
  fc.tuple(text, fc.nat(30), fc.integer({ min: 1, max: 14 })).map(([all, at, length]) => {
    const letters = [...all];
    return letters
      .slice(at % Math.max(1, letters.length))
      .slice(0, length)
      .join("");
  }),
  fc.constantFrom(
    "Žirafa",
    "rafa petr",
    "612 345",
    "+370612",
    '"a" OR b',
    "hello*",
    "NEAR(a b)",
    "-a",
    "words:a",
  ),
);

test("the index finds the same as a reading of all calls", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const search = createCallSearch(database);
  const runs = fc.asyncProperty(
    fc.array(call, { minLength: 1, maxLength: 12 }),
    fc.array(sought, { minLength: 6, maxLength: 6 }),
    fc.nat(3),
    async (spoken, searches, pieces) => {
      const [tenantId, neighbour] = [await insertTenant(database), await insertTenant(database)];
      await insertContact(database, tenantId, "+37061000009", ["Žirafa", "Petraitienė"]);
      const [some, others] = [spoken.slice(0, pieces * 3), spoken.slice(pieces * 3)];
      const ids = await insertCalls(database, tenantId, some);
      await insertCalls(database, neighbour, spoken);
      while (await indexSomeCalls(database, 1e9, async () => undefined));
      await insertCalls(database, tenantId, others);
      if (ids[0] !== undefined && pieces === 2)
        await database.tx((q) => searchIndexStore(q).unindex(tenantId, ids[0] ?? 0, 5, false));
      for (const words of searches.filter((each) => each.trim() !== ""))
        for (const limit of [2, 50]) {
          const expected = await scanned(database, tenantId, words);
          const { calls, more } = await search.find(tenantId, {}, words, { limit, offset: 0 });
          expect([words, calls.map(({ id }) => id), more]).toEqual([
            ...[words, expected.slice(0, limit), expected.length > limit],
          ]);
        }
    },
  );
  await fc.assert(runs, { numRuns: isRemote ? 20 : 60 });
  await database.close();
});
