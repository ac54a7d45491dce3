/**
 * Makes the dashboard's font files: a subset of Inter with the letters of our four languages,
 * weights 400 to 700, and tabular figures. styles/fonts.css lists them with their Unicode ranges.
 */
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";
import { hashedFile, type PackedFile } from "./pack.ts";

const letters = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join("");

/** Parts to keep, by file of the package. */
const PARTS = {
  latin: `${letters(0x20, 0x7e)}${letters(0xa0, 0xff)}–—‘’‚“”„•…€−←↑→↓`,
  "latin-ext": letters(0x100, 0x17f),
  cyrillic: `${letters(0x400, 0x45f)}№`,
} as const;

/** Kerning, accents, language-specific letters, tabular figures. */
const FEATURES = ["kern", "mark", "ccmp", "locl", "tnum"];

/** Font files by their name in the style sheet. */
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
