/**
 * A person on the phone with the agent: says a line, listens to the reply, and compares it with the
 * expected one.
 */

import { systemClock } from "../../core/clock.ts";
import { findSentenceGently, type SentenceMatch } from "../hearing/sentence-matcher.ts";
import type { PhoneCall } from "../phone/phone-call.ts";
import { AGENT_VOICE, DECOYS } from "../script.ts";
import type { Voices } from "../voices.ts";

export interface Exchange {
  /** What the person says, or the keys they press; null: only listens. */
  readonly says: string | null;
  readonly presses?: string;
  /** The sentence that the reply must contain; null: any reply. */
  readonly expects: string | null;
}

export interface RecordedExchange extends Exchange {
  /** Null if no particular sentence was expected. */
  readonly match: SentenceMatch | null;
}

/** This much silence ends the agent's turn: longer than its pauses between sentences. */
const QUIET_MS = 1100;
const REPLY_TIMEOUT_MS = 20_000;

export async function holdConversation(
  call: PhoneCall,
  exchanges: readonly Exchange[],
  voices: Voices,
): Promise<RecordedExchange[]> {
  const recorded: RecordedExchange[] = [];
  for (const exchange of exchanges) {
    let match = await converse(call, exchange, voices);
    // After an unexpected reply the person repeats the line, once.
    if (match?.isFound === false && exchange.says !== null)
      match = await converse(call, exchange, voices);
    recorded.push({ ...exchange, match });
  }
  return recorded;
}

async function converse(
  call: PhoneCall,
  exchange: Exchange,
  voices: Voices,
): Promise<SentenceMatch | null> {
  const from = call.received().length;
  if (exchange.says !== null) await call.say(exchange.says);
  if (exchange.presses !== undefined) await call.press(exchange.presses);
  await call.waitForReply({ quietMs: QUIET_MS, timeoutMs: REPLY_TIMEOUT_MS });
  const reply = call.received().subarray(from);
  return exchange.expects === null ? null : judge(reply, exchange.expects, voices);
}

/**
 * Compares the received audio with the sentence in the agent's voice, and with decoys: sentences
 * that were not said. `alsoSaid` are not used as decoys in this recording.
 */
export async function judge(
  recording: Int16Array,
  sentence: string,
  voices: Voices,
  alsoSaid: readonly string[] = [],
): Promise<SentenceMatch> {
  const decoys = DECOYS.filter((decoy) => decoy !== sentence && !alsoSaid.includes(decoy));
  const searched = {
    recording,
    sentence: await voices.speak(AGENT_VOICE, sentence),
    decoys: await Promise.all(decoys.map((decoy) => voices.speak(AGENT_VOICE, decoy))),
  };
  return findSentenceGently(searched, systemClock);
}
