/** Guesses the intended words for a misspelt or misrecognised word. */
import { stemsOfWord } from "./stems.ts";

const LATIN = "abcdefghijklmnopqrstuvwxyz";
/** Without accented letters: stems have none. */
const CYRILLIC = "абвгдежзиклмнопрстуфхцчшщъыьэюя";
const SWAPPED_LETTERS_MIN = 4;
/** In a shorter word, a changed letter often gives another real word ("hurt", "hour"). */
const CHANGED_LETTERS_MIN = 5;

/** Stems of the word after swapping two neighbouring letters, or changing, adding or removing one letter. */
export function stemsMeant(word: string): Set<string> {
  const meant = new Set<string>();
  const add = (slip: string, lettersMin: number) => {
    for (const stem of stemsOfWord(slip)) if (stem.length >= lettersMin) meant.add(stem);
  };
  const alphabet = /\p{Script=Cyrillic}/u.test(word) ? CYRILLIC : LATIN;
  // Changes after the longest stem have no effect.
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
