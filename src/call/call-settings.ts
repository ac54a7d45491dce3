/** Call settings from the operator's configuration. */
import type { AgentVoice } from "../features/agent/agent.ts";
import type { GoodsPrices } from "../features/billing/cost-of-goods.ts";

export interface CallSettings {
  /** Bind address of the RTP sockets, also used in the SDP. */
  readonly rtpHost: string;
  readonly ringTimeoutMs: number;
  /** Absolute path. Holds WAV files during calls and MP3 files after them. */
  readonly recordingsDir: string;
  readonly voiceAliases: Readonly<Record<string, AgentVoice>>;
  /** Key of the hash that identifies a caller to LLM providers. */
  readonly callerTagKey: Uint8Array;
  /** Maximum tokens of knowledge to put into the prompt. Default: no limit. */
  readonly knowledgeTokens?: number;
  readonly prices: GoodsPrices;
}
