/** A week of calls in a running appliance's database: contacts, summaries, transcripts. */
import { callStore } from "../../../src/call/store/call-store.ts";
import { microEur } from "../../../src/core/money.ts";
import { contacts, turns } from "../../../src/store/schema/index.ts";
import type { Appliance } from "../appliance/appliance.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export interface PastCall {
  readonly number: string;
  readonly status: "completed" | "no_answer" | "busy" | "failed";
  readonly direction: "inbound" | "outbound";
  readonly summary: string | null;
  readonly said: readonly string[];
  readonly agoMs: number;
}

export const JONAS = "+37061000501";
export const INVOICE = "Norėjau paklausti dėl Sąskaitos už praėjusį mėnesį";

/** Newest first. */
export const WEEK_OF_CALLS: readonly PastCall[] = [
  {
    number: JONAS,
    direction: "inbound",
    status: "completed",
    agoMs: 20 * MINUTE_MS,
    summary: "Jonas asked for the opening hours and booked a check-up for Tuesday at ten.",
    said: ["When are you open?", "I would like to book a check-up."],
  },
  {
    number: "+37061000502",
    direction: "inbound",
    status: "completed",
    agoMs: 95 * MINUTE_MS,
    summary: "The caller had a question about last month's invoice; somebody will call back.",
    said: ["Hello", INVOICE],
  },
  {
    number: "+37061000503",
    direction: "outbound",
    status: "no_answer",
    agoMs: DAY_MS,
    summary: null,
    said: [],
  },
  ...Array.from(
    { length: 24 },
    (_, at): PastCall => ({
      number: `+370610006${String(at).padStart(2, "0")}`,
      direction: "inbound",
      status: at % 7 === 3 ? "failed" : "completed",
      agoMs: (at % 12) * DAY_MS + at * MINUTE_MS,
      summary: "The caller asked for the price of a consultation.",
      said: ["What is the price?"],
    }),
  ),
];

export async function storeCalls(
  { app, tenantId, agentId }: Appliance,
  nowMs: number,
  past: readonly PastCall[] = WEEK_OF_CALLS,
): Promise<void> {
  await app.database.tx(async (queries) => {
    await queries.insert(contacts).values({
      tenantId,
      numberE164: JONAS,
      firstName: "Jonas",
      lastName: "Petraitis",
      createdAt: nowMs,
      updatedAt: nowMs,
    });
    for (const call of past.toReversed()) {
      const createdAt = nowMs - call.agoMs;
      const answered = call.status === "completed";
      const inbound = call.direction === "inbound";
      const callId = await callStore(queries).insert(tenantId, {
        callUuid: crypto.randomUUID(),
        agentId,
        direction: call.direction,
        createdAt,
        status: call.status,
        recordingStatus: "none",
        summary: call.summary,
        fromNumber: inbound ? call.number : "+37052000001",
        toNumber: inbound ? "+37052000001" : call.number,
        answeredAt: answered ? createdAt + 4000 : null,
        endedAt: createdAt + 2 * MINUTE_MS,
        billableSeconds: answered ? 116 : 0,
        cost: microEur(answered ? 232_000 : 0),
        latencyP50Ms: answered ? 620 : null,
        latencyP95Ms: answered ? 980 : null,
        overageRate: microEur(120_000),
      });
      for (const [turnIndex, text] of call.said.entries())
        await queries.insert(turns).values({
          callId,
          turnIndex,
          text,
          speaker: "customer",
          interrupted: false,
          latencyMs: null,
          startMs: turnIndex * 5000,
          endMs: turnIndex * 5000 + 3000,
        });
    }
  });
}
