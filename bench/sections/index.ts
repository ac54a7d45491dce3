/** All sections in the order of the table, with the external programs that they need. */
import { chromiumPath } from "../../test/support/browser/chromium.ts";
import type { Section } from "../report.ts";

const PATH = `${process.env.PATH}:/usr/sbin`;
const installed = (...names: readonly string[]) => names.some((name) => Bun.which(name, { PATH }));

/** Checks whether each tool is available on this machine. */
const TOOLS = {
  "a C compiler": () => installed("cc", "gcc"),
  sipp: () => installed("sipp"),
  kamailio: () => installed("kamailio"),
  rtpengine: () => installed("rtpengine"),
  ffmpeg: () => installed("ffmpeg"),
  wrk: () => installed("wrk"),
  Chromium: () => chromiumPath() !== null,
} as const;

type Tool = keyof typeof TOOLS;

interface Entry {
  readonly name: string;
  /** Loaded on demand: each section is a separate process and should start quickly. */
  readonly load: () => Promise<readonly Section[]>;
  /** Without these tools the section cannot run. */
  readonly needs?: readonly Tool[];
  /** Without these tools a reference or a figure is missing. */
  readonly uses?: readonly Tool[];
  /** A few trials are not significant, so the short form runs it only by name. */
  readonly long?: true;
}

const calls = async () => (await import("./calls.ts")).CALL_SECTIONS;
const audio = async () => (await import("./audio.ts")).AUDIO_SECTIONS;
const service = async () => (await import("./service.ts")).SERVICE_SECTIONS;
const store = async () => (await import("./store.ts")).STORE_SECTIONS;
const program = async () => (await import("./program.ts")).PROGRAM_SECTIONS;
const rehearsals = async () => (await import("./rehearsals.ts")).REHEARSAL_SECTIONS;

export const SECTIONS: readonly Entry[] = [
  { name: "phones", load: calls, needs: ["sipp", "a C compiler"], uses: ["wrk"] },
  { name: "signalling", load: calls, needs: ["sipp"], uses: ["kamailio"] },
  { name: "turns", load: calls },
  { name: "answers", load: calls, needs: ["sipp", "a C compiler"] },
  { name: "media", load: audio, needs: ["a C compiler"], uses: ["rtpengine"] },
  { name: "codecs", load: audio },
  { name: "mp3", load: audio, uses: ["ffmpeg"] },
  { name: "talkers", load: audio },
  { name: "understanding", load: audio, uses: ["ffmpeg"], long: true },
  { name: "http", load: service, uses: ["wrk"] },
  { name: "million", load: service },
  { name: "knowledge", load: service },
  { name: "webhooks", load: service, uses: ["sipp", "a C compiler"] },
  { name: "scheduler", load: service },
  { name: "growth", load: service, uses: ["a C compiler"] },
  { name: "store", load: store },
  { name: "binary", load: program },
  { name: "dashboard", load: program, needs: ["Chromium"] },
  { name: "rehearsals", load: rehearsals },
];

/** The missing tools as text; null if none is missing. */
export function missing(tools: readonly Tool[] = []): string | null {
  const lacking = tools.filter((tool) => !TOOLS[tool]());
  return lacking.length === 0 ? null : lacking.join(" and ");
}
