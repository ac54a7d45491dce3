/** eSpeak NG's phonemes as Piper's models take them: with punctuation, as ids with pads between them. */

const [PAD, START, END] = ["_", "^", "$"];
/** Sign that ends a clause. */
const SIGN = /[,;:.!?…]+(?=["»”)]*(?:\s|$))/g;
/** eSpeak NG marks words of another language, as in "(en)weekend(lt)". */
const LANGUAGE_MARK = /\([a-z-]+\)/g;

/** Phonemes of each clause, and the text that they are of, which has the punctuation. */
export function withPunctuation(clauses: readonly string[], text: string): string {
  const signs = Array.from(text.matchAll(SIGN), ([sign]) => (sign[0] === "…" ? "." : sign[0]));
  const last = signs.at(-1) ?? ".";
  // eSpeak NG may divide the text otherwise, at brackets for example.
  const isAligned = signs.length === clauses.length;
  return clauses
    .map((clause, index) => {
      const inner = isAligned ? (signs[index] ?? ",") : ",";
      return clause.replace(LANGUAGE_MARK, "") + (index === clauses.length - 1 ? last : inner);
    })
    .join(" ");
}

/** A sign that the model does not know is left out. */
export function phonemeIds(
  phonemes: string,
  ids: Readonly<Record<string, readonly number[]>>,
): number[] {
  const pad = ids[PAD] ?? [];
  const spoken = Array.from(phonemes.normalize("NFD"), (sign) => ids[sign])
    .filter((known) => known !== undefined)
    .flatMap((known) => [...known, ...pad]);
  return [...(ids[START] ?? []), ...pad, ...spoken, ...(ids[END] ?? [])];
}
