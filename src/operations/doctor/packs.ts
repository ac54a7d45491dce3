/** The files that belong to the program and lie beside it: name → SHA-256. install.sh takes no others. */
import {
  HEARING_PACK,
  HEARING_PACK_SHA256,
} from "../../adapter/engine/embedded/recogniser/transcriber/hearing-pack.ts";

export const PACKS: Readonly<Record<string, string>> = { [HEARING_PACK]: HEARING_PACK_SHA256 };
