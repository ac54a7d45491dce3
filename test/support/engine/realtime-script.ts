/** Script of the Realtime test server: what it recognises, answers, and how it fails. */

export interface SpokenAnswer {
  readonly text?: string;
  /** Texts before the answer, as separate message items. */
  readonly before?: readonly string[];
  readonly tools?: readonly { readonly name: string; readonly arguments: object | string }[];
}

/** Fault of the next response. */
export type ResponseFault =
  /** The socket closes after this number of words. */
  | { readonly type: "close"; readonly after: number }
  /** The server sends nothing more after this number of words. */
  | { readonly type: "stall"; readonly after: number }
  | { readonly type: "failed"; readonly code: string }
  /** The response ends as incomplete after this number of words. */
  | { readonly type: "incomplete"; readonly after: number; readonly reason: string }
  /** Invalid frames before an ordinary answer. */
  | { readonly type: "garbage" }
  /** One frame with this number of characters. */
  | { readonly type: "huge"; readonly characters: number };

export interface Item {
  readonly id: string;
  readonly role: string;
  text: string;
  audioMs: number;
}

/** An `error` event; `event_id` is added. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly param?: string;
}

export interface RealtimeScript {
  dialect: "ga" | "beta";
  recognises: string[];
  /** Answer to the caller's last utterance or to a tool's output. */
  answer: (recognised: string, items: readonly Item[], instructions: string) => SpokenAnswer;
  /** Words to speak when a text is to be read aloud. */
  readOut: (text: string) => string;
  /** 8 kHz. */
  speech: (text: string) => Promise<Int16Array> | Int16Array;
  faults: ResponseFault[];
  /** Fault of this session's next answer; null to use `faults`. */
  faultOf: (instructions: string) => ResponseFault | null;
  /**
   * HTTP status with which connections are refused; 0: accepted but never answered; null: accepted.
   */
  refuse: number | null;
  /** Error response to a session update; null to accept it. */
  refuseUpdate: (session: Record<string, unknown>) => Refusal | null;
  /** Whether updates are confirmed, never confirmed, or confirmed with other formats. */
  updates: "confirmed" | "ignored" | "as_they_were" | "without_formats";
  /** Whether `response.done` contains the number of tokens. */
  reportsUsage: boolean;
  /** Number of next questions that get the error "another response is active". */
  busy: number;
  /** Lifetime of a session in seconds. */
  expiresInSec: number;
  /** True: words and calls are sent only when complete, without deltas. */
  sparse: boolean;
  /** True: the words of a phrase follow all its audio. */
  wordsLast: boolean;
  /** Partial transcripts while the caller still speaks, one per 300 ms of audio. */
  partials: string[];
  /** Delays in ms before a response is created, and before its first word. */
  createdDelayMs: number;
  responseDelayMs: number;
  transcriptionDelayMs: number;
  /** Delay between two words. */
  paceMs: number;
  /** The next word of an answer waits for this. */
  beforeWord: (index: number) => Promise<void> | void;
}

const MS_PER_CHARACTER = 60;

/** Recognises a fixed text, answers immediately, and speaks with a loud hum. */
export function defaultScript(): RealtimeScript {
  return {
    dialect: "ga",
    recognises: [],
    answer: () => ({ text: "All right." }),
    readOut: (text) => text,
    speech: (text) => new Int16Array(text.length * MS_PER_CHARACTER * 8).fill(3_000),
    faults: [],
    faultOf: () => null,
    refuse: null,
    refuseUpdate: () => null,
    updates: "confirmed",
    busy: 0,
    reportsUsage: true,
    expiresInSec: 3_600,
    partials: [],
    sparse: false,
    wordsLast: false,
    createdDelayMs: 0,
    responseDelayMs: 0,
    transcriptionDelayMs: 0,
    paceMs: 0,
    beforeWord: () => {},
  };
}
