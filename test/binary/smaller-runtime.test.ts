/** The compiled program, which has not all that its runtime brings, writes dates, money and texts as the runtime does. */
import { beforeAll, expect, test } from "bun:test";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";

const LIMIT_MS = 60_000;
/** 145.9 MB with all of the runtime's tables and the bytecode of every package. */
const PROGRAM_BYTES_MAX = 132_000_000;

/** Everything the program asks the runtime's tables for, in each language that it writes or reads. */
const ASKED = `
const at = [0, 1_784_000_000_000, 1_795_654_321_000];
const zones = Intl.supportedValuesOf("timeZone");
const styles = ["full", "long", "medium", "short"];
const texts = ["žąsis", "Žuvis", "zebra", "Ёж", "ель", "ķirbis", "Kārlis", "étude", "ångström", "10", "9", "ﬁ①ｱ"];
const answers = {};
for (const locale of ["en", "en-GB", "en-US", "en-CA", "lt", "lt-LT", "lv", "lv-LV", "ru", "ru-RU", "sv-SE"]) {
  const dates = styles.flatMap((dateStyle) => styles.flatMap((timeStyle) => at.map((time) =>
    new Intl.DateTimeFormat(locale, { timeZone: "Europe/Vilnius", dateStyle, timeStyle }).format(time))));
  const weekdays = at.map((time) => new Intl.DateTimeFormat(locale, {
    timeZone: "UTC", weekday: "long", month: "long", era: "short", timeZoneName: "long" }).format(time));
  const money = ["EUR", "USD", "GBP"].map((currency) =>
    new Intl.NumberFormat(locale, { style: "currency", currency }).format(-1234567.891));
  const plurals = Array.from({ length: 130 }, (_, n) => new Intl.PluralRules(locale).select(n / 5)).join();
  const order = texts.toSorted(new Intl.Collator(locale, { numeric: true }).compare);
  answers[locale] = { dates, weekdays, money, plurals, order, lower: texts.map((text) => text.toLocaleLowerCase(locale)) };
}
answers.zones = zones.map((timeZone) => at.map((time) =>
  new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short", timeStyle: "long", hourCycle: "h23" }).format(time)));
answers.forms = ["NFC", "NFD", "NFKC", "NFKD"].map((form) => texts.map((text) => text.normalize(form)));
answers.order = texts.toSorted((a, b) => a.localeCompare(b));
answers.words = [...new Intl.Segmenter("ru", { granularity: "word" }).segment("Ёж — это зверь.")].map(({ segment }) => segment);
answers.host = new URL("https://кофе.пример/").host;
answers.encodings = ["windows-1251", "windows-1257", "koi8-r", "shift_jis", "gb18030", "utf-16le"].map((name) =>
  new TextDecoder(name).decode(Uint8Array.from({ length: 96 }, (_, index) => 0xa0 + index)));
console.log(JSON.stringify(answers));
`;

async function answersOf(program: string): Promise<unknown> {
  const child = Bun.spawn([program, "-e", ASKED], {
    env: { BUN_BE_BUN: "1", LANG: "C.UTF-8" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const answers = JSON.parse(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  return answers;
}

let binary = "";
beforeAll(async () => {
  binary = await builtBinary();
}, BUILD_LIMIT_MS);

test(
  "what is left of the runtime's tables answers as all of them did",
  async () => {
    expect(await answersOf(binary)).toEqual(await answersOf(process.execPath));
  },
  LIMIT_MS,
);

test("the program is no larger than it has to be", () => {
  expect(Bun.file(binary).size).toBeLessThan(PROGRAM_BYTES_MAX);
});

test(
  "a language that nobody writes is answered in another, and does not fail",
  async () => {
    const child = Bun.spawn(
      [binary, "-p", 'new Intl.DateTimeFormat("ja").format(0) + [..."日本"].sort()'],
      {
        env: { BUN_BE_BUN: "1", LANG: "ja_JP.UTF-8", LC_ALL: "ja_JP.UTF-8" },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    expect(await new Response(child.stdout).text()).toContain("1970");
    expect(await child.exited).toBe(0);
  },
  LIMIT_MS,
);
