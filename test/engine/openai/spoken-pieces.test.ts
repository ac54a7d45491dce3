/** Spoken parts of a model's text, and their time. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { SpokenPieces, speakable } from "../../../src/engine/openai/spoken-pieces.ts";

function pieces(...deltas: string[]): string[] {
  const cutter = new SpokenPieces();
  return [...deltas.flatMap((delta) => cutter.push(delta)), ...cutter.end()];
}

test("a sentence is returned as soon as the next one begins", () => {
  const cutter = new SpokenPieces();
  expect(cutter.push("We are open on Monday")).toEqual([]);
  expect(cutter.push(". On")).toEqual(["We are open on Monday."]);
  expect(cutter.push(" Sunday we are closed.")).toEqual([]);
  expect(cutter.end()).toEqual(["On Sunday we are closed."]);
});

test("a long first sentence starts with its first clause", () => {
  const text =
    "If you would like to come this week to see the dentist, we have a free time on Friday at ten. Shall I book it?";
  expect(pieces(...text.split(/(?<= )/))).toEqual([
    "If you would like to come this week to see the dentist,",
    "we have a free time on Friday at ten.",
    "Shall I book it?",
  ]);
});

test("abbreviations and ordinals end no sentence", () => {
  expect(pieces("Please come to Dr. Smith on the third floor. Thank you very much.")).toEqual([
    "Please come to Dr. Smith on the third floor.",
    "Thank you very much.",
  ]);
  expect(pieces("Laukiame jūsų lapkričio 21 d. 10 val. ryto. Iki pasimatymo klinikoje.")).toEqual([
    "Laukiame jūsų lapkričio 21 d. 10 val. ryto.",
    "Iki pasimatymo klinikoje.",
  ]);
});

test("markup, links and emoji are not spoken", () => {
  expect(speakable("**Hello** 😀 see [our page](https://x.example) and `code`")).toBe(
    "Hello see our page and code",
  );
  expect(speakable("# Title\n- one\n* two")).toBe("Title one two");
  expect(speakable("Two * three is 6")).toContain("three is 6");
});

test.each([
  ["| Day | Hours |\n|-----|:----:|\n| Monday | 9–17 |", "Day, Hours. Monday, 9–17."],
  ["Open daily.\n\n---\n***\nCome in!", "Open daily. Come in!"],
  ["It costs ~~20~~ 15 euros.", "It costs 15 euros."],
  ["Great 👍🏽 see 👩‍👩‍👧‍👦 you 🇱🇹!", "Great see you!"],
  ["Press 1️⃣ or #️⃣ now.", "Press 1 or # now."],
  ["Vilnius → Kaunas -> Riga => Tallinn ⇒ home", "Vilnius, Kaunas, Riga, Tallinn, home"],
  ["✓ Done ★ and ■ more ☎", "Done and more"],
  ["Tom &amp; Ann&nbsp;pay 5&#8364; &lt;now&gt; &#x41;&rarr;B", "Tom & Ann pay 5€ <now> A B"],
  ["Say <your name> and <date of birth>.", "Say your name and date of birth."],
  [
    "If a < b and c > d, write to <anna@clinic.example>",
    "If a < b and c > d, write to anna@clinic.example",
  ],
  ["Less than <5 minutes> away", "Less than <5 minutes> away"],
  ['<p class="x">Hello</p><!-- no --> <span>you</span>', "Hello you"],
])("%j is spoken without markup and symbols", (written, said) => {
  expect(speakable(written)).toBe(said);
});

test("SSML, HTML and invisible characters are not spoken", () => {
  const ssml = `<speak>We <emphasis level="strong">are</emphasis> open.<break time="1.5s"/> Come <b>in</b>!<br></speak>`;
  expect(pieces(...ssml)).toEqual(["We are open. Come in!"]);
  expect(speakable("Ver\u00adsion\u0000 \u001b[2J\u202etwo\ud800\u2028")).toBe("Version [2Jtwo");
  for (const text of ["If a < b and c > d", "<3 and 5>", "2 <b"])
    expect(speakable(text)).toBe(text);
});

test("thoughts between tags are dropped, however they are split", () => {
  expect(pieces("<thi", "nk>secret plan.</thi", "nk>We are open.")).toEqual(["We are open."]);
  expect(pieces("<think>never closed")).toEqual([]);
  expect(pieces("a < b and c <t")).toEqual(["a < b and c <t"]);
});

test("no word is lost or doubled, however the text is split", () => {
  const text =
    "Yes. We are open from nine to five, Monday to Friday. Would you like to book? It costs 40.5 euros! Да, конечно… Labas rytas.";
  const whole = pieces(text).join(" ");
  expect(whole).toBe(text);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 10 }), (cuts) => {
      const ends = [...cuts, text.length].sort((a, b) => a - b);
      const parts = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
      expect(pieces(...parts).join(" ")).toBe(whole);
    }),
  );
});

test("a text without sentence ends is still split", () => {
  const long = "word ".repeat(200);
  for (const piece of pieces(long)) expect(piece.length).toBeLessThanOrEqual(300);
});
