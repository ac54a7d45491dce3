/** Invariants after every step of a simulation, and at its end. */
import { readdirSync } from "node:fs";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { calls, events, holds, mails, outbox, schedules } from "../../../src/store/schema/index.ts";
import type { Outside } from "./outside.ts";
import type { SimulatedProcess } from "./process.ts";

type Read = Pick<SimulatedProcess, "read" | "registry">;

export interface Remembered {
  /** Result and cost of each call when it was first seen ended. */
  readonly ended: Map<string, string>;
}

const LIVE = new Set(["dialing", "ringing", "in_progress"]);
const isOpen = (status: string) => status === "queued" || LIVE.has(status);

export async function wrongNow(
  process: Read,
  outside: Outside,
  remembered: Remembered,
  recordingsDir: string,
): Promise<string[]> {
  const { read, registry } = process;
  const wrong: string[] = await verifyLedger(billingStores(read));
  const rows = await read.select().from(calls);
  const stored = await read.select().from(events);
  const queued = await read.select().from(mails);
  const byCall = new Map(rows.map((row) => [row.callUuid, row]));

  const held = new Set((await read.select().from(holds)).map(({ callUuid }) => callUuid));
  for (const callUuid of held)
    if (!LIVE.has(byCall.get(callUuid)?.status ?? "")) wrong.push(`${callUuid} holds money, dead`);
  for (const row of rows)
    if (LIVE.has(row.status) && !held.has(row.callUuid))
      wrong.push(`${row.callUuid} lives, unheld`);

  for (const row of rows) {
    const of = stored.filter((event) => event.callUuid === row.callUuid);
    const ends = of.filter(({ type }) => type === "call.ended" || type === "call.failed").length;
    if (ends !== (isOpen(row.status) ? 0 : 1))
      wrong.push(`${row.callUuid} is ${row.status} with ${ends} ends told`);
    for (const type of new Set(of.map((event) => event.type)))
      if (of.filter((event) => event.type === type).length > 1)
        wrong.push(`${row.callUuid} told ${type} twice`);
    if (!isOpen(row.status)) {
      const end = `${row.status} ${row.endedReason} ${row.cost} ${row.billableSeconds}`;
      const before = remembered.ended.get(row.callUuid);
      if (before !== undefined && before !== end) wrong.push(`${row.callUuid}: ${before} → ${end}`);
      remembered.ended.set(row.callUuid, end);
      if (row.endedReason === null) wrong.push(`${row.callUuid} ended without a reason`);
      if (row.status === "completed" && row.answeredAt === null)
        wrong.push(`${row.callUuid} is completed and was never answered`);
    }
    if (
      row.recordingStatus === "emailed_deleted" &&
      !outside.mailed.has(`transcript:${row.callUuid}`)
    )
      wrong.push(`${row.callUuid}: deleted and never mailed`);
  }

  if (outside.openChannels.length > registry.size)
    wrong.push(`${outside.openChannels.length} ports are open for ${registry.size} calls`);
  for (const [number, times] of outside.invites)
    if (times > 1) wrong.push(`${number} was dialled ${times} times`);

  const needed = new Set(queued.map(({ attachment }) => attachment));
  for (const file of readdirSync(recordingsDir)) {
    const row = byCall.get(file.replace(/\.(wav|mp3).*$/, ""));
    const inWork = row && (isOpen(row.status) || row.recordingStatus === "processing");
    const isKept = row && ["ready", "failed"].includes(row.recordingStatus);
    // A recording of a call not stored as answered is deleted by retention, by its age.
    const isRetentions = row && (row.answeredAt === null || file.endsWith(".wav"));
    if (!inWork && !isKept && !isRetentions && !needed.has(file))
      wrong.push(`${file} belongs to nothing`);
  }
  for (const row of rows)
    if (
      row.recordingStatus === "ready" &&
      !queued.some(({ callUuid }) => callUuid === row.callUuid)
    )
      wrong.push(`${row.callUuid} has a recording and no mail`);
  return wrong;
}

/** Checks the end state: no troubles, and time has passed. */
export async function leftOver(
  { read, registry }: Read,
  outside: Outside,
  recordingsDir: string,
): Promise<string[]> {
  const left: string[] = [];
  for (const row of await read.select().from(calls)) {
    if (isOpen(row.status)) left.push(`${row.callUuid} is still ${row.status}`);
    if (row.recordingStatus === "processing") left.push(`${row.callUuid}: recording in work`);
  }
  for (const row of await read.select().from(schedules))
    if (row.status === "pending") left.push(`schedule ${row.id} is still pending`);
  for (const row of await read.select().from(mails))
    if (row.status !== "sent" || row.attachment !== null)
      left.push(`mail ${row.key} is ${row.status}, attachment ${row.attachment}`);
  for (const row of await read.select().from(outbox)) {
    if (row.status === "pending") left.push(`event ${row.eventId} is pending`);
    if (row.status === "delivered" && !outside.received.has(row.eventId))
      left.push(`event ${row.eventId} was never received`);
  }
  if (registry.size > 0) left.push(`${registry.size} calls are live`);
  if (outside.openChannels.length > 0) left.push(`${outside.openChannels.length} ports are open`);
  for (const leg of outside.legs)
    if (leg.state !== "ended") left.push(`${leg.number} is on the line`);
  const rows = new Map((await read.select().from(calls)).map((row) => [row.callUuid, row]));
  for (const file of readdirSync(recordingsDir)) {
    const row = rows.get(file.replace(/\.(wav|mp3).*$/, ""));
    if (row?.recordingStatus !== "failed" && row?.answeredAt !== null) left.push(`${file} is left`);
  }
  return left;
}
