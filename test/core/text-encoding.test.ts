/** Text is read in the encoding that it is in, whatever is said of it. */
import { expect, test } from "bun:test";
import { decodeText } from "../../src/core/text-encoding.ts";

const LT = "Dantų balinimas kainuoja šimtą eurų. Žąsų ūžesys čia.";
const LV = "Zobu balināšana maksā simts eiro. Ķēde, ģērbtuve, ļoti.";
const RU = "Отбеливание зубов стоит сто евро.";
const EN = "A check-up costs forty euros.";

/** Bytes of a text in a one-byte encoding, or in two bytes a letter. */
function encoded(text: string, name: "windows-1257" | "windows-1251" | "utf-16le" | "utf-16be") {
  if (name.startsWith("utf-16"))
    return Uint8Array.from(
      [...text].flatMap((letter) => {
        const [low, high] = [letter.charCodeAt(0) & 255, letter.charCodeAt(0) >> 8];
        return name === "utf-16le" ? [low, high] : [high, low];
      }),
    );
  const letters = new TextDecoder(name).decode(Uint8Array.from({ length: 256 }, (_, at) => at));
  return Uint8Array.from([...text].map((letter) => letters.indexOf(letter)));
}

test.each([
  ["lt", LT],
  ["lv", LV],
  ["ru", RU],
  ["en", EN],
])("UTF-8 in %s is that, whatever is said of it", (_, text) => {
  for (const said of [null, "utf-8", "iso-8859-1", "windows-1257", "utf-16", "no encoding"])
    expect(decodeText(new TextEncoder().encode(text), said)).toBe(text);
  expect(decodeText(new TextEncoder().encode(`\ufeff${text}`), "windows-1257")).toBe(text);
});

test.each([
  ["windows-1257", "windows-1257", LT],
  ["windows-1257", null, LT],
  ["windows-1257", "utf-8", LV],
  ["windows-1257", "no encoding", LV],
  ["windows-1251", "windows-1251", RU],
  ["windows-1251", null, RU],
  ["windows-1251", "UTF-8", RU],
  ["utf-16le", null, EN],
  ["utf-16be", null, EN],
  ["utf-16le", "utf-8", EN],
] as const)("%s, said to be %p, is read", (encoding, said, text) => {
  expect(decodeText(encoded(text, encoding), said)).toBe(text);
});

test.each(["utf-16le", "utf-16be"] as const)("%s with its mark is read in any language", (wide) => {
  for (const text of [LT, LV, RU])
    expect(decodeText(encoded(`\ufeff${text}`, wide), "utf-8")).toBe(text);
});

test("a broken letter among good ones spoils nothing else", () => {
  const bytes = new TextEncoder().encode(LT);
  const broken = Uint8Array.from([...bytes, 0xd0]);
  expect(decodeText(broken)).toBe(`${LT}\ufffd`);
});

test("nothing is nothing", () => expect(decodeText(new Uint8Array())).toBe(""));
