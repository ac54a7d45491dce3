/**
 * Makes the dashboard's font files: of Inter the letters of our four languages, the weights from 400 to
 * 700, and the figures of one width for tables. styles/fonts.css names them with their Unicode ranges.
 */
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";
import { hashedFile, type PackedFile } from "./pack.ts";

const letters = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join("");

/** File of the package → what we keep of it. */
const PARTS = {
  latin: `${letters(0x20, 0x7e)}${letters(0xa0, 0xff)}–—‘’‚“”„•…€−←↑→↓`,
  "latin-ext": letters(0x100, 0x17f),
  cyrillic: `${letters(0x400, 0x45f)}№`,
} as const;

/** Kerning, accents, letters of one language, and figures of one width. */
const FEATURES = ["kern", "mark", "ccmp", "locl", "tnum"];

/** By the name that the style sheet has for each. */
export async function dashboardFonts(): Promise<ReadonlyMap<string, PackedFile>> {
  const fonts = new Map<string, PackedFile>();
  for (const [part, text] of Object.entries(PARTS)) {
    const source = `@fontsource-variable/inter/files/inter-${part}-wght-normal.woff2`;
    const whole = await Bun.file(fileURLToPath(import.meta.resolve(source))).bytes();
    const bytes = await subsetFont(Buffer.from(whole), text, {
      targetFormat: "woff2",
      keepFeatures: FEATURES,
      variationAxes: { wght: { min: 400, max: 700 } },
    });
    fonts.set(`inter-${part}.woff2`, hashedFile(`inter-${part}`, "woff2", bytes));
  }
  return fonts;
}
