/** How conversations are held: `[conversation]` of the configuration, in milliseconds. */
import type { AgentLanguage } from "../agent/agent.ts";

/** `[conversation]`, in milliseconds. */
export interface ConversationSettings {
  /** Silence that ends a finished utterance / an unfinished one / a dictated number. */
  readonly endpointingMs: number;
  readonly endpointingUnfinishedMs: number;
  readonly endpointingDictationMs: number;
  /** No silence is waited for longer, whatever is being dictated. */
  readonly endpointingMsMax: number;
  /** Caller speech, or words, that cut the agent short, and the fade-out of the cut. */
  readonly bargeInMs: number;
  readonly bargeInWords: number;
  readonly bargeInFadeMs: number;
  /** An interruption that turned out to be none: the agent goes on after this much silence. */
  readonly resumeAfterMs: number;
  /** Idle caller: prompted after this long, so many times; the call ends at `silenceTimeoutMs`. */
  readonly idlePromptMs: number;
  readonly idlePrompts: number;
  readonly silenceTimeoutMs: number;
  /** An agent that means to speak and has no audio says a cached phrase after this. */
  readonly neverSilentMs: number;
  readonly fillerDelayMs: number;
  readonly toolTimeoutMs: number;
  /** Spoken first, per language; empty: nothing is said. */
  readonly disclosure: Readonly<Record<AgentLanguage, string>>;
  /** Names with an E.164 number or SIP URI each: where callers may be transferred. */
  readonly transferTargets?: Readonly<Record<string, string>>;
}
