/** The demo's three calls, each from one person's side. */
import type { Clock } from "../../core/clock.ts";
import { sleep } from "../../core/clock.ts";
import type { Phone } from "../phone/phone.ts";
import type { IncomingCall, PhoneCall } from "../phone/phone-call.ts";
import {
  APPOINTMENT_NUMBER,
  CHILDREN,
  COMPANY,
  GREETING,
  OPENING_HOURS,
  PARKING,
  type Person,
  PRICE,
  TOOL,
} from "../script.ts";
import type { Voices } from "../voices.ts";
import { type Exchange, holdConversation, type RecordedExchange } from "./conversation.ts";

export interface SceneResult {
  readonly exchanges: readonly RecordedExchange[];
  /** Milliseconds from answer to hang-up, measured by the phone. */
  readonly answeredMs: number;
  /** Lines that the person said, in order. */
  readonly spokenTexts: readonly string[];
}

interface Stage {
  readonly clock: Clock;
  readonly voices: Voices;
}

const RING_MS = 700;
const INCOMING_TIMEOUT_MS = 30_000;
const GOODBYE_WAIT_MS = 6000;

const INBOUND_EXCHANGES: readonly Exchange[] = [
  { says: null, expects: GREETING },
  { says: OPENING_HOURS.question, expects: OPENING_HOURS.answer },
  { says: PARKING.question, expects: PARKING.answer },
  { says: TOOL.question, expects: TOOL.asksBack },
  { says: null, presses: `${APPOINTMENT_NUMBER}#`, expects: TOOL.answer },
];

export const OUTBOUND_EXCHANGES: readonly Exchange[] = [
  { says: null, expects: GREETING },
  { says: PRICE.question, expects: PRICE.answer },
];

export const SCHEDULED_EXCHANGES: readonly Exchange[] = [
  { says: null, expects: GREETING },
  { says: CHILDREN.question, expects: CHILDREN.answer },
];

/** Any answer is accepted: a person listens to the recording of this call. */
export const KEPT_EXCHANGES: readonly Exchange[] = [
  { says: null, expects: null },
  { says: OPENING_HOURS.question, expects: null },
];

/** Calls the clinic, asks questions, has an appointment looked up, says goodbye. */
export async function callTheClinic(
  stage: Stage,
  phone: Phone,
  person: Person,
): Promise<SceneResult> {
  const call = await phone.call(COMPANY.number);
  await call.answered;
  return holdCall(stage, call, person, INBOUND_EXCHANGES);
}

/** Waits for a call, lets it ring, answers, asks one question. */
export async function beCalled(
  stage: Stage,
  phone: Phone,
  person: Person,
  exchanges: readonly Exchange[],
): Promise<SceneResult> {
  const call = await nextCall(stage.clock, phone);
  call.ring();
  await sleep(stage.clock, RING_MS);
  await call.answer();
  return holdCall(stage, call, person, exchanges);
}

function nextCall(clock: Clock, phone: Phone): Promise<IncomingCall> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(INCOMING_TIMEOUT_MS, () =>
      reject(new Error(`${phone.number} was not called within ${INCOMING_TIMEOUT_MS / 1000} s`)),
    );
    phone.onCall((call) => {
      timer.cancel();
      resolve(call);
    });
  });
}

async function holdCall(
  { clock, voices }: Stage,
  call: PhoneCall,
  person: Person,
  exchanges: readonly Exchange[],
): Promise<SceneResult> {
  const answeredAt = clock.monotonic();
  const endedAt = call.ended.then(() => clock.monotonic());
  try {
    const recorded = await holdConversation(call, exchanges, voices);
    await call.say(person.goodbye);
    // The agent says goodbye and hangs up; otherwise the person hangs up after a while.
    await Promise.race([call.ended, sleep(clock, GOODBYE_WAIT_MS)]);
    const spokenTexts = exchanges.flatMap(({ says }) => (says === null ? [] : [says]));
    await call.hangUp();
    return {
      exchanges: recorded,
      answeredMs: (await endedAt) - answeredAt,
      spokenTexts: [...spokenTexts, person.goodbye],
    };
  } finally {
    await call.hangUp();
  }
}
