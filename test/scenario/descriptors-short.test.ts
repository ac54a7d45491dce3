/**
 * A process with a low limit of files and sockets: calls are refused while there is still room for HTTP, the
 * database and live calls.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Killable, killable, OWN_NUMBER } from "../support/appliance/killable.ts";
import { eventually } from "../support/eventually.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { CallNotAnswered, type PhoneCall } from "../support/media/phone/phone-call.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const HOST = "127.0.88.1";
const DESCRIPTORS_MAX = 96;
const CALLS_MAX = 40;

let world: Killable;
const phones = new Map<string, Phone>();
beforeAll(async () => {
  world = await killable({
    dir: tempDir(),
    host: HOST,
    rtpPorts: "24000-24199",
    descriptorsMax: DESCRIPTORS_MAX,
    concurrentCallsMax: CALLS_MAX,
    // Nobody speaks, and on a busy machine it takes a while until there are enough calls.
    silenceTimeoutMs: 120_000,
  });
});
afterAll(() => world.close());

async function readiness() {
  const response = await fetch(`http://${HOST}:8480/readyz`);
  const { problems, warnings } = (await response.json()) as Record<string, readonly string[]>;
  return { status: response.status, problems: problems ?? [], warnings: warnings ?? [] };
}

/** Null: accepted; otherwise the SIP code of the refusal. */
async function call(number: string, live: PhoneCall[]): Promise<number | null> {
  const phone = phones.get(number) ?? (await world.phone(number));
  phones.set(number, phone);
  const placed = await phone.call(OWN_NUMBER);
  const failure = await placed.answered.then(
    () => null,
    (error: unknown) => error,
  );
  if (failure instanceof CallNotAnswered) return failure.end.sipCode;
  if (failure !== null) throw failure;
  live.push(placed);
  return null;
}

test("calls beyond the process's descriptors get 503, while HTTP, the store and live calls continue", async () => {
  expect((await readiness()).warnings[0]).toContain(`${DESCRIPTORS_MAX} file descriptors`);
  const live: PhoneCall[] = [];
  const answers = new Set<number | null>();
  await eventually(
    async () => {
      answers.add(await call(`+370610${10_000 + live.length}`, live));
      return (await readiness()).status === 503;
    },
    "it is not ready",
    60_000,
  );
  expect((await readiness()).problems[0]).toContain("file descriptors are open");
  answers.add(await call("+37061099998", live));
  expect(answers).toEqual(new Set([null, 503]));
  expect(live.length).toBeGreaterThan(2);
  const connections = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      world.api("POST", "/agents", { name: `A${n}`, prompt: "B" }),
    ),
  );
  expect(connections.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
  expect(live.map(({ state }) => state)).toEqual(live.map(() => "active"));
  await Promise.all(live.map((each) => each.hangUp()));
  await eventually(async () => (await readiness()).status === 200, "room again");
  expect(await call("+37061099999", live)).toBeNull();
  await live.at(-1)?.hangUp();
  expect(await world.violations()).toEqual([]);
});
