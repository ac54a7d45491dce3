/** All sections, in the order of the table. */
import type { Section } from "../report.ts";
import { AUDIO_SECTIONS } from "./audio.ts";
import { CALL_SECTIONS } from "./calls.ts";
import { PROGRAM_SECTIONS } from "./program.ts";
import { SERVICE_SECTIONS } from "./service.ts";
import { STORE_SECTIONS } from "./store.ts";

export const SECTIONS: readonly Section[] = [
  ...CALL_SECTIONS,
  ...AUDIO_SECTIONS,
  ...SERVICE_SECTIONS,
  ...STORE_SECTIONS,
  ...PROGRAM_SECTIONS,
];
