/** ARPAbet, the recogniser's alphabet of sounds, and the way there from the synthesiser's IPA. */

export const ARPABET =
  "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH".split(
    " ",
  );

/** Words that stand for one sound each: speech that matches no word matches a row of these. */
export const PHONE_WORDS = ARPABET.map((phone) => `g_${phone.toLowerCase()}`);

/** Longest first where one begins another. */
const ENGLISH: readonly (readonly [ipa: string, arpabet: string])[] = [
  ["tʃ", "CH"],
  ["dʒ", "JH"],
  ["aɪə", "AY AH"],
  ["aɪ", "AY"],
  ["aʊ", "AW"],
  ["eɪ", "EY"],
  ["oʊ", "OW"],
  ["əʊ", "OW"],
  ["ɔɪ", "OY"],
  ["ɔːɹ", "AO R"],
  ["oːɹ", "AO R"],
  ["ɑːɹ", "AA R"],
  ["ɪɹ", "IH R"],
  ["ɛɹ", "EH R"],
  ["ʊɹ", "UH R"],
  ["iː", "IY"],
  ["uː", "UW"],
  ["ɜː", "ER"],
  ["ɚ", "ER"],
  ["ɔː", "AO"],
  ["oː", "AO"],
  ["ɑː", "AA"],
  ["əl", "AH L"],
  ["ɪ", "IH"],
  ["i", "IY"],
  ["ɛ", "EH"],
  ["e", "EH"],
  ["æ", "AE"],
  ["a", "AE"],
  ["ʌ", "AH"],
  ["ə", "AH"],
  ["ɐ", "AH"],
  ["ʊ", "UH"],
  ["u", "UW"],
  ["ɔ", "AO"],
  ["o", "OW"],
  ["ɑ", "AA"],
  ["θ", "TH"],
  ["ð", "DH"],
  ["ʃ", "SH"],
  ["ʒ", "ZH"],
  ["ŋ", "NG"],
  ["ɹ", "R"],
  ["r", "R"],
  ["ɾ", "T"],
  ["ʔ", "T"],
  ["ɡ", "G"],
  ["g", "G"],
  ["j", "Y"],
  ["x", "HH"],
  ["h", "HH"],
  ["b", "B"],
  ["d", "D"],
  ["f", "F"],
  ["k", "K"],
  ["l", "L"],
  ["m", "M"],
  ["n", "N"],
  ["p", "P"],
  ["s", "S"],
  ["t", "T"],
  ["v", "V"],
  ["w", "W"],
  ["z", "Z"],
];

/** Sounds of Lithuanian, Latvian and Russian by their nearest English neighbour. */
const BALTIC_AND_RUSSIAN: readonly (readonly [ipa: string, arpabet: string])[] = [
  ["tɕ", "CH"],
  ["dʑ", "JH"],
  ["ts", "T S"],
  ["dz", "D Z"],
  ["aː", "AA"],
  ["a", "AA"],
  ["eː", "EY"],
  ["ɛː", "AE"],
  ["æː", "AE"],
  ["ɨ", "IH"],
  ["y", "IY"],
  ["ɕː", "SH"],
  ["ɕ", "SH"],
  ["ʑ", "ZH"],
  ["ʂ", "SH"],
  ["ʐ", "ZH"],
  ["ɣ", "HH"],
  ["χ", "HH"],
  ["c", "K"],
  ["ɟ", "G"],
  ["ɲ", "N Y"],
  ["ʎ", "L Y"],
  ["ɫ", "L"],
  ["ɭ", "L"],
  ["ɵ", "OW"],
  ["ʉ", "UW"],
  ["ʋ", "V"],
  ["β", "V"],
];

/** There it is a soft s, elsewhere sh. */
const LITHUANIAN: readonly (readonly [ipa: string, arpabet: string])[] = [["ʂ", "S"]];

/** Stress, length left over, palatalisation, ties: nothing the recogniser could use. */
const IGNORED = /[ˈˌ‿ .|ʲʰ]|\p{M}/gu;

/** Phonemes as the recogniser spells them, separated by spaces; unknown sounds are left out. */
export function arpabetOf(ipa: string, language = "en"): string {
  const own = language === "lt" ? LITHUANIAN : [];
  const table = language === "en" ? ENGLISH : [...own, ...BALTIC_AND_RUSSIAN, ...ENGLISH];
  const phones: string[] = [];
  let rest = ipa.replace(IGNORED, "");
  while (rest !== "") {
    const entry = table.find(([sound]) => rest.startsWith(sound));
    if (entry !== undefined) phones.push(entry[1]);
    rest = rest.slice(entry === undefined ? 1 : entry[0].length);
  }
  return phones.join(" ");
}
