/** A scenario made from a real call: readable, without the people of the call. */
import { expect, test } from "bun:test";
import { scenarioOfCall } from "../../../src/features/rehearsal/from-call.ts";
import { readScenario } from "../../../src/features/rehearsal/read-scenario.ts";

const turn = (
  speaker: "agent" | "customer",
  text: string,
  startMs: number,
  interrupted = false,
) => ({ speaker, text, startMs, interrupted, endMs: startMs + 2_000 });

const CALL = {
  callUuid: "0192f000-0000-7000-8000-000000000001",
  direction: "inbound",
  startedAt: Date.UTC(2026, 10, 23, 8, 0),
  endedReason: "caller_hangup",
  turns: [
    turn("agent", "Hello, how can I help you, Ruta?", 0, true),
    turn("customer", "Ruta Kalnina, my number is +371 2612 3456.", 800),
    turn("agent", "Thank you. Which appointment?", 5_000),
    turn("customer", "four one seven two, or [4172]", 9_000),
    turn("customer", "[keys 4172]", 12_000),
    turn("customer", "It cost 40 euros on 2026-11-20, write to ruta@kalnina.lv", 15_000),
  ],
  toolCalls: [{ tool: "check", arguments: { number: "4172", name: "Kalnina" }, ok: true }],
  messages: ["Call Ruta on 26123456"],
  transfers: [],
  names: ["Ruta Kalnina"],
} as const;

test("numbers, addresses and names are replaced, each by the same substitute everywhere", () => {
  const yaml = scenarioOfCall(CALL, "Complaint of Ruta Kalnina");
  for (const secret of ["Ruta", "Kalnina", "kalnina.lv", "4172", "2612", "26123456"])
    expect(yaml).not.toContain(secret);
  const scenario = readScenario("made.yaml", yaml);
  const [interrupt, spoken, keyed, said, end] = scenario.script ?? [];
  expect(interrupt?.interrupt).toMatch(/^Alex Robin, my number is \+\d{11}\.$/);
  expect(interrupt?.after_ms).toBe(800);
  const digits = keyed?.press ?? "";
  expect(digits).toMatch(/^\d{4}$/);
  expect(spoken?.say).toEndWith(`or [${digits}]`);
  expect(scenario.must[0]).toMatchObject({
    tool: "check",
    with: { number: digits, name: "Robin" },
  });
  expect(said?.say).toMatch(/40 euros on 2030-01-\d\d/);
  expect(end?.hang_up).toBe(true);
  expect(scenario.must.at(-1)).toEqual({ ended: "caller_hangup" });
  expect(scenario.tools.check).toMatchObject({ answer: { message: "Done." } });
});

test("the day and time of the call stay in its name", () => {
  const { name } = readScenario("made.yaml", scenarioOfCall(CALL, "Call of 2026-11-23 08:00"));
  expect(name).toBe("Call of 2026-11-23 08:00");
});

test("a single letter is not replaced as a name, because it occurs in every sentence", () => {
  const yaml = scenarioOfCall(
    {
      ...CALL,
      names: ["Ruta A Kalnina"],
      turns: [...CALL.turns, turn("customer", "A day?", 20_000)],
    },
    "A",
  );
  expect(yaml).toContain("A day?");
  expect(yaml).not.toContain("Kalnina");
});

const taken = (changes: object) => scenarioOfCall({ ...CALL, ...changes }, "A call");

test("it keeps the direction, the transfer target and who ended the call", () => {
  expect(taken({})).not.toContain("direction:");
  const outbound = taken({ direction: "outbound", endedReason: "agent_hangup" });
  expect(readScenario("made.yaml", outbound).direction).toBe("outbound");
  expect(outbound).not.toContain("hang_up");
  const transferred = taken({ transfers: [{ outcome: "busy" }, { outcome: "joined" }] });
  expect(transferred).toContain("transfers:\n  target_1: busy\n  target_2: joined\n");
});

test.each([
  ["before the agent's end", true, 1_999, "interrupt", "    after_ms: 1999\n"],
  ["as the agent ends", true, 2_000, "say", ""],
  ["while the agent talks on", false, 1_999, "say", ""],
])("words that begin %s stay as they were in the call", (_, interrupted, startMs, word, after) => {
  const turns = [
    turn("agent", "Hello.", 1_000, interrupted),
    turn("customer", "No.", startMs + 1_000),
  ];
  expect(taken({ turns })).toContain(`  - ${word}: "No."\n${after}  - hang_up: true\n`);
});

test("in tool arguments only texts are replaced, at every depth", () => {
  const values = { who: { name: "Ruta" }, slots: ["Ruta", 3, null, true], note: null };
  const yaml = taken({ toolCalls: [{ tool: "book", arguments: values, ok: false }] });
  expect(readScenario("made.yaml", yaml).must[0]).toMatchObject({
    tool: "book",
    with: { who: { name: "Alex" }, slots: ["Alex", 3, null, true], note: null },
  });
  expect(yaml).toContain("fails: it failed in the call");
});

const said = (text: string, question = "Hello.") => {
  const yaml = taken({ turns: [turn("agent", question, 0), turn("customer", text, 3_000)] });
  return readScenario("made.yaml", yaml).script?.[0]?.say ?? "";
};

test.each([
  ["Jonas Petraitis called.", ["Jonas", "Petraitis"]],
  ["my name is jonas petraitis", ["jonas", "petraitis"]],
  ["Hello, this is Anna.", ["Anna"]],
  ["Mano vardas Jonas Petraitis.", ["Jonas", "Petraitis"]],
  ["Mani sauc Ilze Kalniņa.", ["Ilze", "Kalniņa"]],
  ["Меня зовут Иван Петров.", ["Иван", "Петров"]],
  ["write to jonas petraitis at gmail dot com", ["jonas", "petraitis", "gmail"]],
  ["rašykite jonas eta gmail taškas com", ["jonas", "gmail"]],
  ["rakstiet ilze et inbox punkts lv", ["ilze", "inbox"]],
  ["пишите иван собака майл точка ру", ["иван", "майл"]],
  ["trys septyni nulis šeši vienas du trys", ["septyni nulis šeši"]],
  ["trīs septiņi viens divi seši", ["septiņi viens divi seši"]],
  ["три семь один два шесть", ["семь один два шесть"]],
  ["eight six one two thirty four", ["eight six one two"]],
  ["I was born on 12 March 1985.", ["March", "1985"]],
  ["born March 12th, 1985", ["March", "1985"]],
  ["gimiau 1985 m. kovo 12 d.", ["1985", "kovo"]],
  ["dzimis 12. martā", ["12. martā"]],
  ["родился 12 марта 1985 года", ["12 марта", "1985"]],
  ["on 12.03.1985 or 1985-03-12", ["12.03.1985", "1985-03-12"]],
  ["I live at 12 Baker Street.", ["Baker"]],
  ["gyvenu Gedimino gatvė 12-3", ["Gedimino"]],
  ["dzīvoju Brīvības iela 5", ["Brīvības"]],
  ["живу на улице Ленина, дом 5", ["Ленина"]],
])("%s: who it was is not in it", (text, secrets) => {
  const kept = said(text);
  for (const secret of secrets) expect(kept.toLowerCase()).not.toContain(secret.toLowerCase());
});

test.each([
  ["Jonas", "What is your name?"],
  ["jonas petraitis", "Kuo jūs vardu?"],
  ["ilze", "Kā jūs sauc?"],
  ["иван", "Как вас зовут?"],
])("%s, the answer to a question for the name, is not in it", (name, question) => {
  expect(said(name, question).toLowerCase()).not.toContain(name.split(" ")[0] ?? "");
});

test.each([
  ["Yes, I want to come tomorrow at nine.", []],
  ["It costs twenty five euros, 40 with the check.", []],
  ["Taip, noriu ateiti rytoj.", []],
  ["Jā, es gribu nākt rīt.", []],
  ["Да, я хочу прийти завтра.", []],
])("%s stays as it is", (text) => {
  expect(said(text)).toBe(text);
});

test("arguments lose names, dates and long numbers, with the same stand-ins as the words", () => {
  const values = {
    customer_name: "Petras",
    phone: 37061234567,
    born: "1985-03-12",
    email: "p@example.lt",
    count: 3,
  };
  const yaml = taken({
    toolCalls: [{ tool: "book", arguments: values, ok: true }],
    turns: [turn("customer", "petras, 1985-03-12, 37061234567", 0)],
  });
  for (const secret of ["etras", "37061234567", "1985", "p@example.lt"])
    expect(yaml).not.toContain(secret);
  const { must, script } = readScenario("made.yaml", yaml);
  const kept = (must[0] as { with?: Record<string, unknown> }).with ?? {};
  expect(kept.count).toBe(3);
  expect(script?.[0]?.say).toBe(`${kept.customer_name}, ${kept.born}, ${kept.phone}`);
});

test("it names its call and asks to be checked", () => {
  const yaml = taken({});
  expect(readScenario("made.yaml", yaml).from_call).toBe(CALL.callUuid);
  expect(yaml).toContain("check it before you keep it");
});
