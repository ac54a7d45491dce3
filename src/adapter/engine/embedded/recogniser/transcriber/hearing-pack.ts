/**
 * The second reading's model and its runtime, and the sentence encoder's: a file beside the program, because few need it and it hardly
 * compresses. `scripts/speech-data.ts` writes it and its SHA-256, which the program carries; a file that
 * differs is refused. It begins with one line of JSON, a `PackHeader`; the parts follow one after another.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import checksum from "../../data/hearing-en.sha256" with { type: "text" };

export const HEARING_PACK = "linevoice-hearing-en.pack";

/** In hexadecimal digits. */
export const HEARING_PACK_SHA256 = checksum.trim();

/** Of a decoder's caches. */
export interface ModelShape {
  readonly layers: number;
  readonly heads: number;
  readonly headSize: number;
}

type PackPart = "encoder" | "decoder" | "runtime" | "meaning";

interface PackHeader {
  readonly model: ModelShape;
  /** Each part's bytes, compressed with zstd. */
  readonly parts: readonly (readonly [name: PackPart, bytes: number])[];
}

export interface HearingPack {
  readonly model: ModelShape;
  /** Unpacked. */
  part(name: PackPart): Uint8Array;
}

/** Beside the program, where install.sh puts it, and where a checkout has it. */
const PLACES = [
  dirname(process.execPath),
  join(dirname(process.execPath), "../lib/linevoice"),
  join(import.meta.dir, "../../data"),
];

/** Throws with what is wrong, in plain words. */
export function readHearingPack(): HearingPack {
  const file = PLACES.map((place) => join(place, HEARING_PACK)).find((path) => existsSync(path));
  if (file === undefined)
    throw new Error(`${HEARING_PACK} is not there: looked in ${PLACES.slice(0, 2).join(" and ")}`);
  const bytes = readFileSync(file);
  if (createHash("sha256").update(bytes).digest("hex") !== HEARING_PACK_SHA256)
    throw new Error(`${file} is damaged or of another release`);
  const bodies = bytes.indexOf("\n") + 1;
  const { model, parts }: PackHeader = JSON.parse(bytes.toString("utf8", 0, bodies));
  return {
    model,
    part(wanted) {
      let at = bodies;
      for (const [name, size] of parts) {
        if (name === wanted) return Bun.zstdDecompressSync(bytes.subarray(at, at + size));
        at += size;
      }
      throw new Error(`${file} has no ${wanted}`);
    },
  };
}
