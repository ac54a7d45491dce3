/**
 * Recognises "don't call me" in the four languages. In doubt it counts as a refusal, but not when
 * somebody speaks of calls that were not made ("you never called me", "я вам не звонил").
 *
 * Words end at \p{L}, because \b does not know letters with diacritics or Cyrillic ones.
 */
const word = (pattern: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}'])(?:${pattern})(?![\\p{L}\\p{N}])`, "u");

const PHRASES: readonly RegExp[] = [
  word(
    "(?<!(?:i|we|they|you|he|she) )(?:don'?t|do not) (?:you )?(?:ever )?(?:call|phone|ring|contact)",
  ),
  word(
    "(?:don'?t|do not|never) want (?:you )?(?:to call|to be called|(?:any |more |any more |your )?calls)",
  ),
  word(
    "(?<!(?:i|we|they|you|he|she) )never (?:ever )?(?:call|phone|ring|contact)(?! back)(?: (?:me|us|here|again|this number))",
  ),
  word("(?:stop|quit) (?:calling|phoning|ringing|contacting|these calls|your calls)"),
  word(
    "(?:take|remove|delete|cross) (?:me|us|my number|our number|this number)(?: off| from| out)?",
  ),
  word("no more calls"),
  word("ne(?:be)?skambin(?:kite|kit|ti|k|siu|site)|ne(?:be)?skambintumėte"),
  word("(?:nenoriu|nereikia|liaukitės|baikite|nustokite)(?:,? \\p{L}+){0,3} skamb\\p{L}+"),
  word(
    "(?:išbraukite|ištrinkite|pašalinkite|išimkite) (?:mane|mus|mano numerį|mūsų numerį|šį numerį)",
  ),
  word("nezvan(?:i|iet|īt)"),
  word("(?:negribu|nevajag|nevēlos|beidziet|pārstājiet|izbeidziet)(?:,? \\p{L}+){0,3} zvan\\p{L}*"),
  word(
    "(?:izdzēsiet|dzēsiet|svītrojiet|izsvītrojiet) (?:mani|mūs|manu numuru|mūsu numuru|šo numuru)",
  ),
  word(
    "не (?:надо |нужно |смей |смейте )?(?:мне |нам |сюда |больше |мне больше |больше мне )?звон(?:и|ите|ить)",
  ),
  word("(?:перестаньте|прекратите|хватит|не хочу)(?:,? \\p{L}+){0,3} звон\\p{L}+"),
  word("не беспокой(?:те)?"),
  word("(?:удалите|уберите|вычеркните|исключите) (?:меня|нас|мой номер|наш номер|этот номер)"),
];

/** Unifies apostrophes, composed letters and case. */
const normalised = (text: string) =>
  text
    .normalize("NFC")
    .toLocaleLowerCase()
    .replace(/[\u2018\u2019\u201b\u02bc\u02b9\u00b4\u2032\uff07`]/g, "'")
    .replace(/ё/g, "е")
    .replace(/\s+/g, " ");

export const asksNotToBeCalled = (text: string): boolean => {
  const plain = normalised(text);
  return PHRASES.some((phrase) => phrase.test(plain));
};
