/** Deletion of identity data: sessions, links, challenges, attempts, and the audit log after 400 days. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { createIdentity } from "../../../src/features/identity/identity.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test("cleaning runs every hour; audit entries are deleted after 400 days, five thousand at a time", async () => {
  const clock = fakeClock();
  const told: unknown[][] = [];
  const note =
    (what: string) =>
    async (...times: number[]) =>
      void told.push([what, ...times]);
  const surplus = [5_000, 4_999];
  const stores = () => ({
    sessions: { removeStale: note("sessions"), endActing: async () => [] },
    links: { removeExpired: note("links") },
    passkeys: { removeExpiredChallenges: note("passkeys") },
    attempts: { removeBefore: note("attempts") },
    audit: {
      removeBefore: note("audit"),
      async removeBeyond(...bounds: number[]) {
        told.push(["surplus", ...bounds]);
        return surplus.shift() ?? 0;
      },
    },
  });
  const identity = createIdentity({
    clock,
    stores,
    random: systemRandom,
    log: silentLog,
    mails: null,
    publicUrl: () => "",
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    vault: { deriveKey: () => new Uint8Array(32), lastingKey: () => new Uint8Array(32) },
  } as unknown as Parameters<typeof createIdentity>[0]);
  const nowMs = clock.now();
  await identity.clean();
  const of = (what: string) => told.filter(([name]) => name === what).map(([, ...rest]) => rest);
  expect(of("sessions")).toEqual([[nowMs, nowMs - 12 * HOUR]]);
  expect(of("links")).toEqual([[nowMs - DAY]]);
  expect(of("attempts")).toEqual([[nowMs - DAY]]);
  expect(of("audit")).toEqual([[nowMs - 400 * DAY, 5_000]]);
  expect(of("surplus")).toEqual(Array(2).fill([50_000, 5_000]));
  told.length = 0;
  await clock.advance(HOUR - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  await identity.stop();
  expect(of("audit")).toHaveLength(1);
});
