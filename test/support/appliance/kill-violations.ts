/**
 * Invariants of an appliance's data and environment after all work is done, however often it was
 * killed: each call ends once and is reported, charged and mailed once, and nothing is left over.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { integrityProblems } from "../../../src/store/sqlite/integrity.ts";
import { openReadOnly } from "../../../src/store/sqlite/read-only.ts";
import { eventually } from "../eventually.ts";
import type { HttpsReceiver } from "../net/https-receiver.ts";
import type { SmtpServer } from "../net/smtp-server.ts";

const SETTLED_WITHIN_MS = 60_000;
const PORTS_FREE_WITHIN_MS = 10_000;

export interface Aftermath {
  readonly dir: string;
  readonly host: string;
  /** Port range `first-last`. Without live calls none of them is bound. */
  readonly rtpPorts: string;
  readonly receiver: HttpsReceiver;
  readonly smtp: SmtpServer;
  /** Call-IDs of the appliance's INVITEs, by called number. */
  readonly invites: ReadonlyMap<string, ReadonlySet<string>>;
  rows<Row>(sql: string): Row[];
}

/** Waits until no work is pending. Returns the work that is still pending after a time limit. */
export async function unsettled({ rows }: Aftermath): Promise<string[]> {
  const left = () => rows<{ what: string }>(UNSETTLED).map(({ what }) => what);
  return eventually(() => left().length === 0, "settled", SETTLED_WITHIN_MS).then(
    () => [],
    () => left().map((what) => `not settled: ${what}`),
  );
}

/** Each row is pending work. */
export const UNSETTLED = `
  SELECT 'call ' || call_uuid || ' is ' || status AS what FROM calls
    WHERE status IN ('queued', 'dialing', 'ringing', 'in_progress')
  UNION ALL SELECT 'recording of ' || call_uuid || ' is ' || recording_status FROM calls
    WHERE recording_status IN ('recording', 'processing', 'ready')
  UNION ALL SELECT 'mail ' || key || ' is ' || status FROM mails WHERE status <> 'sent' OR attachment IS NOT NULL
  UNION ALL SELECT 'event ' || event_id || ' is ' || status FROM outbox WHERE status <> 'delivered'`;

/** Each row of a query is a violation. */
export const WRONG_ROWS = [
  `SELECT 'call ' || c.call_uuid || ' has ' || count(e.id) || ' ends' AS what FROM calls c
    LEFT JOIN events e ON e.call_uuid = c.call_uuid AND e.type IN ('call.ended', 'call.failed')
    GROUP BY c.call_uuid HAVING count(e.id) <> 1`,
  `SELECT type || ' of ' || call_uuid || ' was stored ' || count(*) || ' times' AS what FROM events
    GROUP BY call_uuid, type HAVING count(*) > 1`,
  "SELECT 'hold of ' || call_uuid || ' is left' AS what FROM holds",
  "SELECT 'call ' || call_uuid || ' ended without a reason' AS what FROM calls WHERE ended_reason IS NULL",
  `SELECT 'call ' || call_uuid || ' was charged ' || billable_seconds || ' s unanswered' AS what FROM calls
    WHERE answered_at IS NULL AND billable_seconds > 0`,
  `SELECT 'call ' || call_uuid || ' was answered and not charged' AS what FROM calls
    WHERE answered_at IS NOT NULL AND billable_seconds < 15`,
  `SELECT 'call ' || c.call_uuid || ' has ' || count(l.id) || ' charges' AS what FROM calls c
    LEFT JOIN ledger_transactions l ON l.key = 'call:' || c.call_uuid WHERE c.billable_seconds > 0
    GROUP BY c.call_uuid HAVING count(l.id) <> 1`,
  `SELECT 'the plan gave ' || used || ' s, calls took ' || taken || ' s' AS what FROM
    (SELECT total(seconds_used) AS used FROM plan_usage), (SELECT total(included_seconds) AS taken FROM calls)
    WHERE used <> taken`,
  `SELECT 'schedule ' || id || ' is still pending' AS what FROM schedules WHERE status = 'pending'`,
  `SELECT 'schedule ' || s.id || ' is ' || s.status || ' and its call ' || c.status AS what
    FROM schedules s JOIN calls c ON c.call_uuid = s.call_uuid
    WHERE s.status = 'fired' AND c.status = 'queued'`,
  `SELECT 'call ' || call_uuid || ' was answered and has no mail' AS what FROM calls
    WHERE answered_at IS NOT NULL AND recording_file IS NOT NULL
    AND call_uuid NOT IN (SELECT call_uuid FROM mails WHERE call_uuid IS NOT NULL)`,
];

/** Returns the violations after all work is done. */
export async function wrongs(world: Aftermath): Promise<string[]> {
  const { rows } = world;
  const wrong = WRONG_ROWS.flatMap((sql) => rows<{ what: string }>(sql).map(({ what }) => what));
  const stored = openReadOnly(join(world.dir, "data/linevoice.db"));
  try {
    wrong.push(...(await verifyLedger(billingStores(stored.queries))));
    wrong.push(...integrityProblems(stored.sqlite, "integrity_check"));
  } finally {
    stored.close();
  }
  wrong.push(...(await portsLeft(world)));
  for (const file of readdirSync(join(world.dir, "data/recordings")))
    wrong.push(`${file} is left in the recordings`);
  for (const [number, calls] of world.invites)
    if (calls.size > 1) wrong.push(`${number} was dialled ${calls.size} times`);
  const delivered = new Set(
    world.receiver.requests.map(({ body }) => (JSON.parse(body) as { id: string }).id),
  );
  for (const { id } of rows<{ id: string }>("SELECT id FROM events"))
    if (!delivered.has(id) && rows(`SELECT 1 FROM outbox WHERE event_id = '${id}'`).length > 0)
      wrong.push(`event ${id} was never delivered`);
  const keys = rows<{ key: string }>("SELECT key FROM mails").length;
  const messages = new Set(
    world.smtp.mails.map(({ data }) => /^Message-ID: (.*)$/im.exec(data)?.[1]),
  );
  if (messages.size !== keys) wrong.push(`${keys} mails were queued, ${messages.size} arrived`);
  return wrong;
}

/**
 * RTP ports of the appliance that are still bound. Linux lists addresses in hexadecimal with
 * reversed octets.
 */
async function portsLeft({ host, rtpPorts }: Aftermath): Promise<string[]> {
  const [first = 0, last = 0] = rtpPorts.split("-").map(Number);
  const address = host
    .split(".")
    .map((octet) => Number(octet).toString(16).padStart(2, "0").toUpperCase())
    .reverse()
    .join("");
  const bound = () =>
    [...readFileSync("/proc/net/udp", "utf8").matchAll(/^\s*\d+: ([0-9A-F]{8}):([0-9A-F]{4})/gm)]
      .filter(([, at]) => at === address)
      .map(([, , port = ""]) => Number.parseInt(port, 16))
      .filter((port) => port >= first && port <= last);
  return eventually(() => bound().length === 0, "ports are free", PORTS_FREE_WITHIN_MS).then(
    () => [],
    () => bound().map((port) => `RTP port ${port} is left`),
  );
}
