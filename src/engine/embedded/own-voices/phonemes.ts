/**
 * Converts eSpeak NG's phonemes to the input of Piper's models: with punctuation, as ids with pads
 * in between.
 */

const [PAD, START, END] = ["_", "^", "$"];
/** Punctuation at the end of a clause. */
const SIGN = /[,;:.!?…]+(?=["»”)]*(?:\s|$))/g;
/** eSpeak NG marks foreign words, as in "(en)weekend(lt)". */
const LANGUAGE_MARK = /\([a-z-]+\)/g;

/** Joins the phonemes of the clauses with the punctuation of the original text. */
export function withPunctuation(clauses: readonly string[], text: string): string {
  const signs = Array.from(text.matchAll(SIGN), ([sign]) => (sign[0] === "…" ? "." : sign[0]));
  const last = signs.at(-1) ?? ".";
  // eSpeak NG may split the text differently, for example at brackets.
  const isAligned = signs.length === clauses.length;
  return clauses
    .map((clause, index) => {
      const inner = isAligned ? (signs[index] ?? ",") : ",";
      return clause.replace(LANGUAGE_MARK, "") + (index === clauses.length - 1 ? last : inner);
    })
    .join(" ");
}

/** Skips signs that the model does not know. */
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
