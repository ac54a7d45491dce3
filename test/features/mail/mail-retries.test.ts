/** When a mail is claimed, leased and retried, and how much of an error is stored. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { MailQueue } from "../../../src/features/mail/mail-queue.ts";
import { MailRejected } from "../../../src/features/mail/provider.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface Claim {
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  readonly lostBeforeMs: number;
  readonly lane: string;
  readonly busyTenants: readonly number[];
}

function world(send: (message: object, signal: AbortSignal) => Promise<void>, random = 0.5) {
  const clock = fakeClock(0);
  const claims: Claim[] = [];
  const due: object[] = [];
  const failures: { attempts: number; nextAttemptAt: number | null; error: string }[] = [];
  const leases: number[] = [];
  const released: number[] = [];
  const stores = () => ({
    hasDue: async () => true,
    async claim(claim: Claim) {
      if (claim.lane === "without") claims.push(claim);
      const isFree = claim.lane === "without" && claim.busyTenants.length === 0;
      return isFree ? (due.shift() ?? null) : null;
    },
    async markFailed(_id: number, _owner: string, outcome: (typeof failures)[number]) {
      failures.push(outcome);
    },
    extendLease: async (_id: number, _owner: string, untilMs: number) => void leases.push(untilMs),
    release: async (id: number) => void released.push(id),
    nextDueAfter: async () => null,
    withAttachmentLeft: async () => [],
  });
  const queue = new MailQueue({
    clock,
    stores,
    log: silentLog,
    from: "calls@voice.example",
    recordingsDir: tempDir(),
    random: { ...seededRandom(1), float: () => random },
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    provider: { name: "test", answerMsMax: 7_000, send, close: async () => undefined },
    attachmentBytesMax: 1_000,
    recordingLink: () => "",
  } as unknown as ConstructorParameters<typeof MailQueue>[0]);
  const mail = (attempts: number) => ({
    id: 1,
    tenantId: 1,
    attempts,
    createdAt: 0,
    recordingForm: "attached",
    isLost: false,
    key: "k",
    callUuid: null,
    recipient: "a@b.example",
    subject: "s",
    body: "b",
    attachment: null,
  });
  return { clock, queue, claims, due, failures, leases, released, mail };
}

async function failureOf(attempts: number, error: Error, random = 0.5) {
  const { queue, due, failures, mail } = world(() => Promise.reject(error), random);
  due.push(mail(attempts));
  queue.start();
  await eventually(() => failures.length > 0, "a failure");
  await queue.stop();
  return failures[0];
}

test("checks every 30 seconds, leases for a minute, and considers a node lost after a day", async () => {
  const { clock, queue, claims } = world(async () => undefined);
  queue.start();
  await clock.advance(60 * SECOND);
  expect(claims.map(({ nowMs }) => nowMs)).toEqual([0, 30 * SECOND, 60 * SECOND]);
  expect(claims[2]).toMatchObject({ leaseUntilMs: 2 * MINUTE, lostBeforeMs: MINUTE - 24 * HOUR });
  await queue.stop();
});

test("is retried after 30 s, 2, 10 and 60 minutes, 4, 12 and 24 hours, then never", async () => {
  const delays = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, 24 * HOUR, null];
  for (const [attempts, nextAttemptAt] of delays.entries())
    expect(await failureOf(attempts, new Error("busy"))).toEqual({
      attempts: attempts + 1,
      nextAttemptAt,
      error: "busy",
    });
});

test("each delay is at most 10 % shorter or longer", async () => {
  expect((await failureOf(0, new Error("busy"), 0))?.nextAttemptAt).toBe(27 * SECOND);
  expect((await failureOf(0, new Error("busy"), 1))?.nextAttemptAt).toBe(33 * SECOND);
});

test("a mail rejected by the provider is never retried; 500 characters of an error are stored", async () => {
  const rejected = await failureOf(0, new MailRejected("no such mailbox"));
  expect(rejected).toMatchObject({ attempts: 1, nextAttemptAt: null });
  expect((await failureOf(0, new Error("x".repeat(501))))?.error).toHaveLength(500);
});

test("a provider has its time limit, the lease a minute more; at shutdown a mail has five seconds", async () => {
  const signals: AbortSignal[] = [];
  const { clock, queue, due, leases, released, failures, mail } = world(
    (_, signal) =>
      new Promise((_done, fail) => {
        signals.push(signal);
        signal.addEventListener("abort", () => fail(signal.reason));
      }),
  );
  due.push(mail(0), mail(0));
  queue.start();
  await eventually(() => signals.length === 1, "the first is being sent");
  expect(leases).toEqual([7_000 + MINUTE]);
  await clock.advance(6_999);
  expect(failures).toEqual([]);
  await clock.advance(1);
  await eventually(() => signals.length === 2, "the second is being sent");
  expect(failures).toMatchObject([{ error: expect.stringContaining("within 7000 ms") }]);
  const stopped = queue.stop();
  await clock.advance(4_999);
  expect(signals[1]?.aborted).toBe(false);
  await clock.advance(1);
  await stopped;
  expect(released).toEqual([1]);
});
