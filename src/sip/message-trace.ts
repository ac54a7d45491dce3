/**
 * Records the SIP messages of each call for diagnostics: start line without addresses, CSeq, and
 * information about codecs and reasons. Numbers, names, addresses, credentials and bodies are never
 * recorded: only the fields listed here are copied from a message.
 *
 * Bounded in calls and in messages per call. Registrations and keep-alives are not recorded.
 */

import type { SipMessageTrace, SipTraceEntry } from "../call/diagnostics.ts";
import { BoundedMap } from "../core/bounded-map.ts";
import type { Clock } from "../core/clock.ts";
import { staticCodec } from "../core/codecs.ts";

interface SipMessageTracer extends SipMessageTrace {
  /** A message that passed; `text` as on the wire. */
  record(direction: "in" | "out", text: string): void;
}

const CALLS_MAX = 2000;
const ENTRIES_MAX = 150;
const DETAIL_MAX = 160;
const NO_CALLS: ReadonlySet<string> = new Set(["REGISTER", "OPTIONS", "SUBSCRIBE", "PUBLISH"]);

const START = /^(?:SIP\/2\.0 (\d{3}) ?([^\r\n]*)|([A-Z]+) )/;
const CALL_ID = /^(?:Call-ID|i)[ \t]*:[ \t]*(\S+)/im;
const CSEQ = /^CSeq[ \t]*:[ \t]*(\d{1,10})[ \t]+([A-Z]+)/im;
const REASON = /^Reason[ \t]*:[ \t]*([\w.]{1,12})(?:[ \t]*;[ \t]*cause=(\d{1,4}))?/im;
const CREDENTIALS = /^(?:Proxy-)?Authorization[ \t]*:/im;
const CHALLENGE = /^(?:WWW|Proxy)-Authenticate[ \t]*:/im;
const RTPMAP = /^a=rtpmap:\d+ ([A-Za-z0-9.-]{1,32})\/(\d{1,6})/gm;
const DIRECTION = /^a=(sendrecv|sendonly|recvonly|inactive)\r?$/m;
const AUDIO = /^m=audio \d+ \S+ ([\d ]{1,100})/m;

export function createSipMessageTracer(clock: Clock): SipMessageTracer {
  const calls = new BoundedMap<string, SipTraceEntry[]>(CALLS_MAX);

  function entriesOf(callId: string): SipTraceEntry[] {
    const known = calls.get(callId);
    if (known) return known;
    const entries: SipTraceEntry[] = [];
    calls.set(callId, entries);
    return entries;
  }

  return {
    record(direction, text) {
      const callId = CALL_ID.exec(text)?.[1];
      const cseq = CSEQ.exec(text);
      if (!callId || !cseq || NO_CALLS.has(cseq[2] ?? "")) return;
      const entries = entriesOf(callId);
      if (entries.length >= ENTRIES_MAX) return;
      const line = lineOf(text, `${cseq[1]} ${cseq[2]}`);
      if (line !== null)
        entries.push({ atMs: clock.now(), direction, line, detail: detailOf(text) });
    },
    entries: (callId) => [...(calls.get(callId) ?? [])],
    forget: (callId) => {
      calls.delete(callId);
    },
  };
}

/**
 * `INVITE (1 INVITE)`, `180 Ringing (1 INVITE)`. The remote party writes the reason phrase, so only
 * plain words are recorded.
 */
function lineOf(text: string, cseq: string): string | null {
  const start = START.exec(text);
  if (!start) return null;
  const [, code, phrase, method] = start;
  if (method !== undefined) return `${method} (${cseq})`;
  const words = (phrase ?? "")
    .replace(/[^A-Za-z \-/]/g, "")
    .slice(0, 40)
    .trim();
  return `${code} ${words} (${cseq})`.replace("  ", " ");
}

function detailOf(text: string): string | null {
  const parts: string[] = [];
  const reason = REASON.exec(text);
  if (reason) parts.push(`reason ${reason[1]}${reason[2] ? ` ${reason[2]}` : ""}`);
  if (CREDENTIALS.test(text)) parts.push("with credentials");
  if (CHALLENGE.test(text)) parts.push("asks for credentials");
  const audio = AUDIO.exec(text);
  if (audio) parts.push(`SDP: ${codecsOf(text, audio[1] ?? "")}${directionOf(text)}`);
  return parts.length === 0 ? null : parts.join("; ").slice(0, DETAIL_MAX);
}

function codecsOf(text: string, payloadTypes: string): string {
  const named = [...text.matchAll(RTPMAP)].map(([, name]) => name ?? "");
  const fixed = payloadTypes.split(" ").flatMap((type) => staticCodec(Number(type)) ?? []);
  return [...new Set([...fixed, ...named])].join(", ");
}

function directionOf(text: string): string {
  const direction = DIRECTION.exec(text)?.[1];
  return direction === undefined || direction === "sendrecv" ? "" : `, ${direction}`;
}
