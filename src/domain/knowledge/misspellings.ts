/** What a word may have been meant to be: a slip of the writer, or of speech to text, makes it another. */
import { stemsOfWord } from "./stems.ts";

const LATIN = "abcdefghijklmnopqrstuvwxyz";
/** Without letters that are others with a mark: stems have none. */
const CYRILLIC = "абвгдежзиклмнопрстуфхцчшщъыьэюя";
const SWAPPED_LETTERS_MIN = 4;
/** Of a shorter word one letter more, less or other makes another word ("hurt", "hour"). */
const CHANGED_LETTERS_MIN = 5;

/** The stems of a word in which two letters beside each other are swapped, or one is wrong, missing or too many. */
export function stemsMeant(word: string): Set<string> {
  const meant = new Set<string>();
  const add = (slip: string, lettersMin: number) => {
    for (const stem of stemsOfWord(slip)) if (stem.length >= lettersMin) meant.add(stem);
  };
  const alphabet = /\p{Script=Cyrillic}/u.test(word) ? CYRILLIC : LATIN;
  // Beyond the stem nothing matters.
  const end = Math.max(...stemsOfWord(word).map(({ length }) => length));
  for (let at = 0; at <= end; at++) {
    const [before, letter = "", after] = [word.slice(0, at), word[at], word.slice(at + 1)];
    if (after !== "") add(before + after[0] + letter + after.slice(1), SWAPPED_LETTERS_MIN);
    add(before + after, CHANGED_LETTERS_MIN);
    for (const other of alphabet) {
      add(before + other + letter + after, CHANGED_LETTERS_MIN);
      add(before + other + after, CHANGED_LETTERS_MIN);
    }
  }
  return meant;
}
