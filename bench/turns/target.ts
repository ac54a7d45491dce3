/** Data and constants that the two processes of the benchmark share. */
export interface Servers {
  readonly openai: string;
  readonly realtime: string;
}

export const QUESTION = "What are your opening hours?";
export const ANSWER = "From nine to five.";

/** Delay in ms before the first byte of each server. */
export const DELAYS = { stt: 80, llm: 200, tts: 120, realtime: 300 } as const;
