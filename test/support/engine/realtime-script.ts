/** What the tests' Realtime server hears, answers, and how it fails. */

export interface SpokenAnswer {
  readonly text?: string;
  /** Said first, as message items of their own. */
  readonly before?: readonly string[];
  readonly tools?: readonly { readonly name: string; readonly arguments: object | string }[];
}

/** How the next response goes wrong. */
export type ResponseFault =
  /** The socket closes after so many words. */
  | { readonly type: "close"; readonly after: number }
  /** Nothing more comes after so many words. */
  | { readonly type: "stall"; readonly after: number }
  | { readonly type: "failed"; readonly code: string }
  /** It ends there as incomplete. */
  | { readonly type: "incomplete"; readonly after: number; readonly reason: string }
  /** Frames that are no events, before an ordinary answer. */
  | { readonly type: "garbage" }
  /** One frame of so many characters. */
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
  /** What the caller said last, or the output of a tool. */
  answer: (recognised: string, items: readonly Item[], instructions: string) => SpokenAnswer;
  /** What is said when a text is to be read out. */
  readOut: (text: string) => string;
  /** 8 kHz. */
  speech: (text: string) => Promise<Int16Array> | Int16Array;
  faults: ResponseFault[];
  /** What goes wrong with this session's next answer; null: what `faults` says. */
  faultOf: (instructions: string) => ResponseFault | null;
  /** Connections are refused with this status; 0: taken, and never a word. */
  refuse: number | null;
  /** An update of the session is refused with this. */
  refuseUpdate: (session: Record<string, unknown>) => Refusal | null;
  /** Updates are taken and never confirmed, or confirmed with another format. */
  updates: "confirmed" | "ignored" | "as_they_were" | "without_formats";
  /** `response.done` says how many tokens were used. */
  reportsUsage: boolean;
  /** So many questions are told that another answer is under way. */
  busy: number;
  /** Of a session, from its beginning. */
  expiresInSec: number;
  /** Words and calls are told only when they are whole. */
  sparse: boolean;
  /** The words of a phrase come after all its sound. */
  wordsLast: boolean;
  /** Words written down while the caller still speaks, one every 300 ms of audio. */
  partials: string[];
  /** Before a response is begun, and before its first word. */
  createdDelayMs: number;
  responseDelayMs: number;
  transcriptionDelayMs: number;
  /** Between two words. */
  paceMs: number;
  /** What the next word of an answer waits for. */
  beforeWord: (index: number) => Promise<void> | void;
}

const MS_PER_CHARACTER = 60;

/** Hears nothing in particular, says yes to it at once, and speaks in a loud hum. */
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
