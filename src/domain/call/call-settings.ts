/** What the operator's configuration says of every call. */
import type { AgentVoice } from "../agent/agent.ts";
import type { GoodsPrices } from "../billing/cost-of-goods.ts";

export interface CallSettings {
  /** Address the RTP sockets bind to and the SDP names. */
  readonly rtpHost: string;
  readonly ringTimeoutMs: number;
  /** Absolute path; WAVs while a call runs, MP3s after it. */
  readonly recordingsDir: string;
  readonly voiceAliases: Readonly<Record<string, AgentVoice>>;
  /** Of the hash that stands for a caller at a provider of language models. */
  readonly callerTagKey: Uint8Array;
  /** Knowledge that goes whole into a prompt, in tokens. Missing: all of it. */
  readonly knowledgeTokens?: number;
  readonly prices: GoodsPrices;
}
