/** What the tests' Realtime server hears, answers, and how it fails. */

export interface SpokenAnswer {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly arguments: object | string }[];
}

/** How the next response goes wrong. */
export type ResponseFault =
  /** The socket closes after so many words. */
  | { readonly type: "close"; readonly after: number }
  /** Nothing more comes after so many words. */
  | { readonly type: "stall"; readonly after: number }
  | { readonly type: "failed"; readonly code: string }
  /** Frames that are no events, before an ordinary answer. */
  | { readonly type: "garbage" }
  /** One frame of so many characters. */
  | { readonly type: "huge"; readonly characters: number };

export interface Item {
  readonly id: string;
  readonly role: string;
  text: string;
  readonly audioMs: number;
}

export interface RealtimeScript {
  dialect: "ga" | "beta";
  recognises: string[];
  /** What the caller said last, or the output of a tool. */
  answer: (recognised: string, items: readonly Item[]) => SpokenAnswer;
  /** What is said when a text is to be read out. */
  readOut: (text: string) => string;
  /** 8 kHz. */
  speech: (text: string) => Promise<Int16Array> | Int16Array;
  faults: ResponseFault[];
  /** Connections are refused with this status; 0: taken, and never a word. */
  refuse: number | null;
  /** Words and calls are told only when they are whole. */
  sparse: boolean;
  /** Words written down while the caller still speaks, one every 300 ms of audio. */
  partials: string[];
  responseDelayMs: number;
  transcriptionDelayMs: number;
  /** Between two words. */
  paceMs: number;
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
    refuse: null,
    partials: [],
    sparse: false,
    responseDelayMs: 0,
    transcriptionDelayMs: 0,
    paceMs: 0,
  };
}
