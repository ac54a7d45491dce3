/** Values in an agent's words: the same number, amount or date in every wording. */
import { expect, test } from "bun:test";
import { saysDate, saysMoney, saysNumber } from "../../../src/features/rehearsal/values.ts";

test("an amount of money is recognised in digits and in the words of four languages", () => {
  for (const text of [
    "That is €40.",
    "It costs 40 EUR",
    "A consultation costs forty euros.",
    "Konsultacija kainuoja keturiasdešimt eurų.",
    "Konsultācija maksā četrdesmit eiro.",
    "Консультация стоит сорок евро.",
    "40,00 € please",
  ])
    expect([text, saysMoney(text, "40 EUR")]).toEqual([text, true]);
  for (const text of ["forty five euros", "forty dollars", "twenty past, forty of us", "140 EUR"])
    expect([text, saysMoney(text, "40 EUR")]).toEqual([text, false]);
  expect(saysMoney("two hundred and forty five euros and fifty cents", "245.50 EUR")).toBe(true);
  expect(saysMoney("1 250,50 €", "1250.50 EUR")).toBe(true);
});

test("a number is compared as a value, and a word that only begins like a number is ignored", () => {
  expect(saysNumber("twenty-one people", 21)).toBe(true);
  expect(saysNumber("two thousand three hundred", 2300)).toBe(true);
  expect(saysNumber("du šimtai trys", 203)).toBe(true);
  expect(saysNumber("divdesmit pieci", 25)).toBe(true);
  expect(saysNumber("сто двадцать пять", 125)).toBe(true);
  expect(saysNumber("это стоит дорого", 100)).toBe(false);
  expect(saysNumber("from nine to five", 9)).toBe(true);
  expect(saysNumber("from nine to five", 14)).toBe(false);
});

test("a date is recognised by day and month, by its weekday in the coming week, and as tomorrow", () => {
  const today = "2026-11-23";
  for (const text of [
    "on 2026-11-24",
    "24.11.2026",
    "on the twenty-fourth of November",
    "November 24",
    "lapkričio 24 dieną",
    "24 ноября",
    "24. novembrī",
    "on Tuesday at ten",
    "tomorrow morning",
    "rytoj",
  ])
    expect([text, saysDate(text, "2026-11-24", today)]).toEqual([text, true]);
  expect(saysDate("on Wednesday", "2026-11-24", today)).toBe(false);
  expect(saysDate("on Tuesday", "2026-12-24", today)).toBe(false);
  expect(saysDate("24 December", "2026-11-24", today)).toBe(false);
});

const SPELLED: readonly (readonly [number, string])[] = [
  [0, "zero nulis nulle ноль"],
  [1, "one vienas viens один"],
  [2, "two du divi два"],
  [3, "three trys trīs три"],
  [4, "four keturi četri четыре"],
  [5, "five penki pieci пять"],
  [6, "six šeši seši шесть"],
  [7, "seven septyni septiņi семь"],
  [8, "eight aštuoni astoņi восемь"],
  [9, "nine devyni deviņi девять"],
  [10, "ten dešimt desmit десять"],
  [11, "eleven vienuolika vienpadsmit одиннадцать"],
  [12, "twelve dvylika divpadsmit двенадцать"],
  [13, "thirteen trylika trīspadsmit тринадцать"],
  [14, "fourteen keturiolika četrpadsmit четырнадцать"],
  [15, "fifteen penkiolika piecpadsmit пятнадцать"],
  [16, "sixteen šešiolika sešpadsmit шестнадцать"],
  [17, "seventeen septyniolika septiņpadsmit семнадцать"],
  [18, "eighteen aštuoniolika astoņpadsmit восемнадцать"],
  [19, "nineteen devyniolika deviņpadsmit девятнадцать"],
  [20, "twenty dvidešimt divdesmit двадцать"],
  [30, "thirty trisdešimt trīsdesmit тридцать"],
  [40, "forty keturiasdešimt četrdesmit сорок"],
  [50, "fifty penkiasdešimt piecdesmit пятьдесят"],
  [60, "sixty šešiasdešimt sešdesmit шестьдесят"],
  [70, "seventy septyniasdešimt septiņdesmit семьдесят"],
  [80, "eighty aštuoniasdešimt astoņdesmit восемьдесят"],
  [90, "ninety devyniasdešimt deviņdesmit девяносто"],
  [100, "hundred šimtas simts сто"],
  [200, "двести"],
  [300, "триста"],
  [400, "четыреста"],
  [500, "пятьсот"],
  [600, "шестьсот"],
  [700, "семьсот"],
  [800, "восемьсот"],
  [900, "девятьсот"],
  [1000, "thousand tūkstantis tūkstotis тысяча"],
];

test.each(SPELLED)("%d is %s", (value, words) => {
  for (const word of words.split(" "))
    expect([word, saysNumber(word, value)]).toEqual([word, true]);
});

test.each([
  ["one hundred and five", 105],
  ["nine hundred ninety nine", 999],
  ["three hundred thousand", 300_000],
  ["a thousand and one", 1],
  ["two thousand and six", 2_000],
  ["thousand", 1_000],
  ["five thousand forty", 5_040],
  ["сто двадцать", 120],
  ["двести двадцать пять", 225],
  ["12:30", null],
  ["1.250", 1_250],
  ["3,5", 3.5],
] as const)("%s is %p", (text, value) => {
  expect(saysNumber(text, value ?? 12)).toBe(value !== null);
});

test.each([
  ["twenty thirty", [20, 30], 50],
  ["ten five", [10, 5], 15],
  ["five twenty", [5, 20], 25],
  ["twenty and five", [20, 5], 25],
  ["nineteen one", [19, 1], 20],
  ["ten hundred", [10, 100], 1_000],
  ["hundred hundred", [100], 200],
] as const)("%s are %p, and not %d", (text, values, sum) => {
  for (const value of values) expect(saysNumber(text, value)).toBe(true);
  expect(saysNumber(text, sum)).toBe(false);
});

test("cents follow their amount closely", () => {
  expect(saysMoney("five euros and fifty cents", "5.50 EUR")).toBe(true);
  expect(saysMoney("five euros fifty cents", "5.50 EUR")).toBe(true);
  expect(saysMoney("five euros, and then fifty cents", "5.50 EUR")).toBe(false);
  expect(saysMoney("five euros, and then fifty cents", "5 EUR")).toBe(true);
  expect(saysMoney("five euros for fifty people", "5.50 EUR")).toBe(false);
});

const MONTH_NAMES: readonly string[] = [
  "january sausio janvāris января",
  "february vasario februāris февраля",
  "march kovo marts марта",
  "april balandžio aprīlis апреля",
  "may gegužės maijs мая",
  "june birželio jūnijs июня",
  "july liepos jūlijs июля",
  "august rugpjūčio augusts августа",
  "september rugsėjo septembris сентября",
  "october spalio oktobris октября",
  "november lapkričio novembris ноября",
  "december gruodžio decembris декабря",
];

test.each(MONTH_NAMES.map((names, at) => [names, at + 1] as const))(
  "%s is month %d",
  (names, month) => {
    const [own, next] = [month, (month % 12) + 1].map(
      (number) => `2027-${String(number).padStart(2, "0")}-17`,
    );
    for (const name of names.split(" ")) {
      expect([name, saysDate(`17 ${name}`, own ?? "", "2026-01-01")]).toEqual([name, true]);
      expect([name, saysDate(`17 ${name}`, next ?? "", "2026-01-01")]).toEqual([name, false]);
    }
  },
);

const ORDINAL_WORDS = (
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth " +
  "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third " +
  "twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split(" ");

test.each(ORDINAL_WORDS.map((word, at) => [word, at + 1] as const))(
  "the %s is day %d",
  (word, day) => {
    const said = (number: number) =>
      saysDate(`the ${word} of May`, `2027-05-${String(number).padStart(2, "0")}`, "2026-01-01");
    expect([said(day), said(day + 1)]).toEqual([true, false]);
  },
);

test("only units are joined to the tens before them", () => {
  const says = (day: number) => saysDate("at twenty, tenth of May", `2027-05-${day}`, "2026-01-01");
  expect([says(10), says(30)]).toEqual([true, false]);
});

test("a day is at most four words before its month, or three after it", () => {
  const says = (text: string) => saysDate(text, "2027-05-17", "2026-01-01");
  expect(says("17 of the month of May")).toBe(false);
  expect(says("17 in month of May")).toBe(true);
  expect(says("May, on the 17")).toBe(true);
  expect(says("May, then on the 17")).toBe(false);
});

test("a weekday and relative words refer to the coming seven days", () => {
  const today = "2026-11-23";
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  for (const [at, day] of days.entries())
    for (const ahead of [0, 1, 2, 3, 4, 5, 6, 7, 8])
      expect([
        ...[day, ahead],
        saysDate(
          day,
          new Date(Date.parse(today) + ahead * 86_400_000).toISOString().slice(0, 10),
          today,
        ),
      ]).toEqual([day, ahead, ahead > 0 && ahead <= 7 && ahead % 7 === at]);
  expect(saysDate("today", "2026-11-23", today)).toBe(true);
  expect(saysDate("today", "2026-11-24", today)).toBe(false);
  expect(saysDate("tomorrow", "2026-11-24", today)).toBe(true);
  expect(saysDate("tomorrow", "2026-11-25", today)).toBe(false);
});
