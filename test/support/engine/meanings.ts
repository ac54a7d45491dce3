/**
 * Deterministic vectors for the meaning of a text: replacement for an embeddings model in tests.
 */

/** Beginnings of words with the same meaning, in the four languages. */
const MEANINGS: readonly string[] = [
  "open hours work dirb darbo strād darba работ час",
  "address street station adres gatv stot iel stac улиц вокзал",
  "park car automobil stov auto stāv парк машин",
  "check-up apžiūr apskat осмотр",
  "hygien tartar higien akmen higiēn zobakm гигиен кам",
  "whiten balin отбел",
  "filling plomb пломб",
  "implant имплант корон",
  "child vaik bērn дет реб",
  "pain hurt emergenc skaud gelia skub sāp smeld neatl боли ноет неотл сроч",
  "cancel moved atšauk perkel atcel pārcel отмен перен",
  "pay payment card cash insur mok kortel atsisk draud maksāt kart apmaks наличн карт оплат плат",
  "cost price kain maksā cena стои цен",
];
const DIMENSIONS = 96;
/** Weight of a word without a listed meaning. */
const FAINT = 0.15;

/** Depends only on the text. */
export function meaningOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}-]+/gu) ?? []) {
    const about = MEANINGS.findIndex((words) =>
      words.split(" ").some((one) => word.startsWith(one)),
    );
    const random = randomOf(about >= 0 ? `about ${about}` : word);
    for (const at of vector.keys())
      vector[at] = (vector[at] ?? 0) + (about >= 0 ? 1 : FAINT) * (random() < 0.5 ? -1 : 1);
  }
  return vector;
}

/** xorshift32, seeded by FNV-1a. */
function randomOf(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(seed)) state = Math.imul(state ^ byte, 0x01000193);
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
