/** What the two processes of the bench agree on. */
export interface Servers {
  readonly openai: string;
  readonly realtime: string;
}

export const QUESTION = "What are your opening hours?";
export const ANSWER = "From nine to five.";

/** Milliseconds a server waits before its first byte. */
export const DELAYS = { stt: 80, llm: 200, tts: 120, realtime: 300 } as const;
