/** Knowledge sources and open questions of a call's turns. */
import { expect, test } from "bun:test";
import { knowledgeOfTurns, questionKey } from "../../../src/features/knowledge/turn-knowledge.ts";

const customer = (text: string) => ({ speaker: "customer", text }) as const;
const agent = (text: string) => ({ speaker: "agent", text }) as const;
const scope = {
  tenantId: 1,
  files: [{ id: 1, filename: "a.md", format: "md", version: 1 }],
} as const;
const passage = { fileId: 1, filename: "a.md", heading: "Hours", text: "Nine.", coverage: 1 };
const index = {
  sourcesOf: async (_: unknown, answer: string) => (answer.includes("nine") ? [passage] : []),
};

test("an answer names its source; a greeting does not count as an answer", async () => {
  const turns = [agent("From nine."), customer("When are you open?"), agent("We open at nine.")];
  expect(await knowledgeOfTurns(turns, scope, index)).toEqual([
    {},
    {},
    { sources: [{ fileId: 1, filename: "a.md", heading: "Hours" }] },
  ]);
  expect(await knowledgeOfTurns(turns, null, index)).toEqual([{}, {}, {}]);
});

test.each([
  ["Do you sell balcony plants?", "Sorry, I don't know that."],
  ["Do you sell balcony plants?", "I'm afraid I do not have that information."],
  ["Ar parduodate balkono augalus?", "Atsiprašau, to nežinau."],
  ["Vai jūs pārdodat balkona augus?", "Atvainojiet, to es nezinu."],
  ["Вы продаёте растения для балкона?", "Извините, этого я не знаю."],
  ["Do you sell balcony plants?", "I don't have any details on that."],
  ["Do you sell balcony plants?", "Unfortunately I'm not able to answer that."],
  ["Do you sell balcony plants?", "I couldn't find anything about balcony plants."],
  ["Do you sell balcony plants?", "I'm not certain, let me take a message."],
  ["Ar parduodate balkono augalus?", "Deja, tokios informacijos neturiu."],
  ["Ar parduodate balkono augalus?", "Neturiu duomenų apie balkono augalus."],
  ["Ar parduodate balkono augalus?", "Atsiprašau, tiksliai pasakyti negaliu."],
  ["Ar parduodate balkono augalus?", "Apie tai informacijos nerandu."],
  ["Vai jūs pārdodat balkona augus?", "Diemžēl šādas informācijas man nav."],
  ["Vai jūs pārdodat balkona augus?", "Man tas nav zināms."],
  ["Vai jūs pārdodat balkona augus?", "Diemžēl nevaru pateikt."],
  ["Вы продаёте растения для балкона?", "К сожалению, такой информации у меня нет."],
  ["Вы продаёте растения для балкона?", "Мне это неизвестно."],
  ["Вы продаёте растения для балкона?", "Извините, точно сказать не могу."],
  ["Вы продаёте растения для балкона?", "У меня нет данных о растениях."],
])("%s has no answer in: %s", async (question, answer) => {
  const [asked] = await knowledgeOfTurns([customer(question), agent(answer)], scope, index);
  expect(asked?.unanswered).toBe(questionKey(question));
});

test.each([
  ["Do you sell plants?", "Yes, I know every one of them."],
  ["Do you sell plants?", "I don't know that, but we open at nine."],
  ["Thanks.", "I don't know."],
  ["[keys 12]", "I don't know that."],
  ["[inaudible]", "I don't know that."],
  ["Do you sell plants?", "We have no plants, but we can order them."],
  ["Ar turite augalų?", "Augalų neturime, bet galime užsakyti."],
  ["Ar galiu atvykti rytoj?", "Negaliu priimti rytoj, ar tiktų poryt?"],
  ["Vai jums ir augi?", "Augu mums nav, bet varam pasūtīt."],
  ["У вас есть растения?", "Растений у нас нет, но можем заказать."],
  ["Можно завтра?", "Завтра я не могу вас записать, подойдёт среда?"],
])("%s is not an open question after: %s", async (question, answer) => {
  const [asked] = await knowledgeOfTurns([customer(question), agent(answer)], scope, index);
  expect(asked).toEqual({});
});

test("only an agent's answer to a customer leaves a question open", async () => {
  const [question, words] = ["Do you sell plants?", "Sorry, I don't know that."];
  for (const turns of [
    [customer(question), customer(words)],
    [agent(question), agent(words)],
    [customer(question)],
  ])
    expect((await knowledgeOfTurns(turns, scope, index))[0]).toEqual({});
});

test("a question is the same in every wording", () => {
  const key = questionKey("Do you sell balcony plants?");
  expect(key).not.toBe("");
  expect(questionKey("Hello, would you sell a balcony plant, please?")).toBe(key);
  expect(questionKey("Do you sell balcony chairs?")).not.toBe(key);
  expect(questionKey("Ar parduodate balkono augalus?")).toBe(
    questionKey("ar parduodat balkono augalą"),
  );
});

test("sources are searched in the first 200 turns", async () => {
  const turns = Array.from({ length: 210 }, (_, at) =>
    at % 2 === 0 ? customer("When are you open?") : agent("We open at nine."),
  );
  const found = await knowledgeOfTurns(turns, scope, index);
  expect([found[199]?.sources?.length, found[201]?.sources]).toEqual([1, undefined]);
});

test.each([
  [199, true],
  [200, false],
])("an answer at position %d of the call names its source: %p", async (place, names) => {
  const before = Array.from({ length: place - 1 }, () => agent("Hello."));
  const turns = [...before, customer("When are you open?"), agent("We open at nine.")];
  const found = await knowledgeOfTurns(turns, scope, index);
  expect(found[place]?.sources !== undefined).toBe(names);
});

test("a question has at least two words, and its first twelve identify it", async () => {
  const unanswered = async (text: string) =>
    (await knowledgeOfTurns([customer(text), agent("I don't know that.")], scope, index))[0]
      ?.unanswered !== undefined;
  expect([await unanswered("Parking?"), await unanswered("Parking garage?")]).toEqual([
    ...[false, true],
  ]);
  const words = "alpha bravo cedar delta fjord hotel igloo karma lemon mango ninja opera".split(
    " ",
  );
  expect(questionKey(words.join(" ")).split(" ")).toEqual(words);
  expect(questionKey([...words, "pasta"].join(" ")).split(" ")).toEqual(words);
});
