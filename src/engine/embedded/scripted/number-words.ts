/** English numbers as words, as callers say them and the recogniser writes them. */

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES: readonly (readonly [size: number, name: string])[] = [
  [1_000_000_000, "billion"],
  [1_000_000, "million"],
  [1_000, "thousand"],
  [100, "hundred"],
];

/** 45 → "forty five". Beyond 15 digits: digit by digit. */
export function numberInWords(digits: string): string {
  const value = Number(digits);
  if (digits.length > 15 || (digits.length > 1 && digits.startsWith("0"))) {
    return [...digits].map((digit) => SMALL[Number(digit)] ?? "").join(" ");
  }
  return wordsOf(value);
}

function wordsOf(value: number): string {
  for (const [size, name] of SCALES) {
    if (value < size) continue;
    const rest = value % size;
    const head = `${wordsOf(Math.floor(value / size))} ${name}`;
    return rest === 0 ? head : `${head} ${wordsOf(rest)}`;
  }
  if (value < 20) return SMALL[value] ?? "";
  const ones = value % 10;
  const tens = TENS[Math.floor(value / 10)] ?? "";
  return ones === 0 ? tens : `${tens} ${SMALL[ones] ?? ""}`;
}

const VALUES: Readonly<Record<string, number>> = Object.fromEntries([
  ...SMALL.map((word, value) => [word, value]),
  ...TENS.map((word, index) => [word, index * 10]).slice(2),
  ["oh", 0],
  ["o", 0],
  ["a", 1],
  ["double", -2],
  ["triple", -3],
]);

/** Value of one word below a hundred ("twenty" → 20), or null. */
export function smallNumber(word: string): number | null {
  const value = VALUES[word];
  return value === undefined || value < 0 ? null : value;
}

/** "two hundred and forty five" → 245. Null if the words are not a number. */
export function parseNumberWords(words: readonly string[]): number | null {
  let total = 0;
  let part = 0;
  let seen = false;
  for (const word of words) {
    if (/^\d+$/.test(word)) part += Number(word);
    else if (word === "and") continue;
    else if (word === "hundred") part = (part === 0 ? 1 : part) * 100;
    else if (word === "thousand" || word === "million") {
      total += (part === 0 ? 1 : part) * (word === "thousand" ? 1_000 : 1_000_000);
      part = 0;
    } else {
      const value = smallNumber(word);
      if (value === null) return null;
      part += value;
    }
    seen = true;
  }
  return seen ? total + part : null;
}

/** "five double two oh" → "5220"; "twenty one" → "21". Skips words that are not digits. */
export function digitsFromWords(words: readonly string[]): string {
  let digits = "";
  let repeat = 1;
  for (const [index, word] of words.entries()) {
    if (word === "double" || word === "triple") {
      repeat = word === "double" ? 2 : 3;
      continue;
    }
    if (/^\d+$/.test(word)) digits += word;
    else {
      const value = word === "a" ? null : smallNumber(word);
      if (value === null) continue;
      const previous = smallNumber(words[index - 1] ?? "");
      const joins = value < 10 && previous !== null && previous >= 20 && previous % 10 === 0;
      if (joins && value > 0) digits = `${digits.slice(0, -1)}${value}`;
      else digits += String(value).repeat(repeat);
    }
    repeat = 1;
  }
  return digits;
}
