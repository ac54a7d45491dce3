/** The number of database statements of a whole inbound call: the main thread waits for each of them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { onQuery } from "../support/store/statement-watch.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Money and events are plain statements: a hold, a charge, an event and a delivery each have their own. */
const STATEMENTS_MAX = 22;
/** Periodic work adds statements, so the call with the fewest counts. */
const CALLS_MAX = 5;
/** Half a second of silence at 8 kHz. */
const SAID_SAMPLES = 4_000;
/** Periodic queries for due work, queries shared by simultaneous calls, and the storing of turns. */
const BESIDE_THE_CALL =
  /^select "?schedule|min\("?next_attempt_at|select "outbox"|from "(mails|crm_posts|campaigns|campaign_targets)"|^insert into "turns"/i;

let world: Appliance;
let caller: Phone;
const ran: string[] = [];

beforeAll(async () => {
  onQuery((statement) => ran.push(statement));
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.7",
    agent: { transcriptEmailEnabled: false },
  });
  caller = await world.phone("+37061000001");
}, 60_000);

afterAll(() => world.close());

/** From the INVITE until its recording is encoded. */
async function statementsOfCall(): Promise<number> {
  ran.length = 0;
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  // A caller who hangs up at once may leave nothing to encode.
  await call.play(new Int16Array(SAID_SAMPLES));
  await call.hangUp();
  await eventually(
    () => ran.some((statement) => statement.startsWith('insert into "call_peaks"')),
    "the peaks of the recording are stored",
    60_000,
  );
  await world.app.database.tx(async () => undefined);
  return ran.filter((statement) => !BESIDE_THE_CALL.test(statement)).length;
}

test(`an answered, charged and recorded inbound call runs at most ${STATEMENTS_MAX} statements`, async () => {
  let least = Number.POSITIVE_INFINITY;
  for (let calls = 0; calls < CALLS_MAX && least > STATEMENTS_MAX; calls++)
    least = Math.min(least, await statementsOfCall());
  expect(least).toBeLessThanOrEqual(STATEMENTS_MAX);
}, 200_000);
