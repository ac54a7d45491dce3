/** The embedded engine's dialogue, with scripted recognition results. */
import { describe, expect, test } from "bun:test";
import type { ToolSnapshot } from "../../../src/conversation/call-config.ts";
import type { LlmEvent, LlmInput, LlmSession } from "../../../src/conversation/engine-port.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { PHRASES } from "../../../src/engine/embedded/scripted/phrases.ts";
import { createScriptedSession } from "../../../src/engine/embedded/scripted/scripted-session.ts";
import type { AgentLanguage } from "../../../src/features/agent/agent.ts";
import { markdown, topicsHere } from "../../support/engine/topics-here.ts";
import { CLINIC_KNOWLEDGE } from "../../support/speech/dental-clinic.ts";

const SATURDAY = Date.UTC(2026, 10, 21, 8);

const BOOKING: ToolSnapshot = {
  name: "book_appointment",
  description: "Books an appointment at the clinic. Use it when the caller wants to book a visit.",
  parameters: {
    type: "object",
    required: ["date", "time", "phone"],
    properties: {
      date: { type: "string", format: "date", description: "the day of the appointment" },
      time: { type: "string", description: "the time of the appointment" },
      phone: { type: "string", description: "your telephone number" },
    },
  },
};

function clinicAgent(
  options: {
    tools?: ToolSnapshot[];
    language?: AgentLanguage;
    transferTargets?: string[];
    isUnheard?: boolean;
  } = {},
): LlmSession {
  const { tools = [], language = "en", transferTargets, isUnheard = false } = options;
  return createScriptedSession({
    settings: { transferTargets },
    subject: { callId: "c", language, tools, knowledge: markdown(CLINIC_KNOWLEDGE), memory: null },
    askTopics,
    clock: { ...systemClock, now: () => SATURDAY },
    random: seededRandom(1),
    hears: () => !isUnheard,
  });
}

const askTopics = topicsHere();

async function respond(agent: LlmSession, input: LlmInput | string): Promise<LlmEvent[]> {
  const full: LlmInput =
    typeof input === "string" ? { type: "utterance", text: input, confidence: 0.9 } : input;
  return Array.fromAsync(agent.respond(full, new AbortController().signal));
}

function spoken(events: readonly LlmEvent[]): string {
  return events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(" ");
}

function expected(events: readonly LlmEvent[]): string | undefined {
  return events.findLast((event) => event.type === "expect")?.answer;
}

async function ask(agent: LlmSession, input: LlmInput | string): Promise<string> {
  return spoken(await respond(agent, input));
}

describe("answers", () => {
  test("a question covered by the knowledge is answered word for word", async () => {
    const answer = await ask(clinicAgent(), "how much is a filling");
    expect(answer).toBe("A filling costs from 60 to 90 euros.");
  });

  test("every response ends with done", async () => {
    const events = await respond(clinicAgent(), "how much is a filling");
    expect(events.at(-1)?.type).toBe("done");
  });

  test("words with low confidence are confirmed first, and yes brings the answer", async () => {
    const agent = clinicAgent();
    const events = await respond(agent, {
      type: "utterance",
      text: "the price of whitening",
      confidence: 0.59,
    });
    expect(spoken(events)).toStartWith("Did you mean one: How much does teeth whitening cost?");
    expect(expected(events)).toBe("digits");
    expect(await ask(agent, "yes please")).toContain("200 euros");
  });

  test("two equally likely topics are both offered, and one of them is chosen", async () => {
    const doubtful: LlmInput = {
      type: "utterance",
      text: "the price of whitening",
      confidence: 0.59,
    };
    const offering = async () => {
      const agent = clinicAgent();
      const events = await respond(agent, doubtful);
      expect(spoken(events)).toMatch(
        /^Did you mean one: How much does teeth whitening .* Or two: /,
      );
      expect(expected(events)).toBe("digits");
      return agent;
    };
    expect(await ask(await offering(), "one")).toContain("200 euros");
    expect(await ask(await offering(), "the second one please")).toContain("costs 40 euros");
    expect(await ask(await offering(), { type: "digits", digits: "2" })).toContain(
      "costs 40 euros",
    );
    expect(await ask(await offering(), "no")).toContain("I can help with");
    expect(await ask(await offering(), "where are you located")).toContain("Garden Street");
    expect(await ask(await offering(), { type: "utterance", text: "", confidence: 0 })).toStartWith(
      "Did you mean one:",
    );
  });

  test("thanks inside a longer question do not end the call", async () => {
    expect(await ask(clinicAgent(), "how much is a filling please thanks")).toContain("60 to 90");
    expect(await ask(clinicAgent(), "great thank you very much")).toStartWith("You're welcome");
    expect(await ask(clinicAgent(), "and do you have thanks")).toStartWith("Sorry");
  });

  test("no, followed by a new question, answers the new question", async () => {
    const agent = clinicAgent();
    await respond(agent, { type: "utterance", text: "the price of whitening", confidence: 0.59 });
    expect(await ask(agent, "no how much is a filling")).toContain("60 to 90");
  });

  test("a question outside the knowledge is not answered, but topics are offered", async () => {
    const answer = await ask(clinicAgent(), "what is the capital of australia");
    expect(answer).toContain("I can help with");
  });

  test("the second miss offers the keypad, the third a message", async () => {
    const agent = clinicAgent();
    const nothing: LlmInput = { type: "utterance", text: "", confidence: 0 };
    await respond(agent, nothing);
    expect(await ask(agent, nothing)).toContain("Press 1 for");
    const third = await respond(agent, nothing);
    expect(spoken(third)).toContain("leave a message");
    expect(expected(third)).toBe("yes_no");
  });

  test("a menu key is answered with its topic", async () => {
    expect(await ask(clinicAgent(), { type: "digits", digits: "1" })).toContain("Monday to Friday");
  });

  test("aborting stops the response", async () => {
    const controller = new AbortController();
    controller.abort();
    const input: LlmInput = { type: "utterance", text: "hello", confidence: 1 };
    const events = await Array.fromAsync(clinicAgent().respond(input, controller.signal));
    expect(events).toEqual([]);
  });
});

describe("intents", () => {
  const GOODBYES: Readonly<Record<AgentLanguage, string>> = {
    en: "thank you goodbye",
    lt: "viso gero",
    lv: "uz redzēšanos",
    ru: "до свидания",
  };
  for (const [language, said] of Object.entries(GOODBYES)) {
    test(`goodbye ends the call with a goodbye: ${language}`, async () => {
      const agent = clinicAgent({ language: language as AgentLanguage });
      const events = await respond(agent, { type: "utterance", text: said, confidence: 1 });
      expect(events[0]?.type).toBe("text");
      expect(events.some((event) => event.type === "end_call")).toBe(true);
    });
  }

  const HUMANS: Readonly<Record<AgentLanguage, string>> = {
    en: "can i speak to a person please",
    lt: "noriu kalbėti su žmogumi",
    lv: "gribu runāt ar cilvēku",
    ru: "хочу говорить с человеком",
  };
  for (const [language, said] of Object.entries(HUMANS)) {
    test(`a caller who asks for a person is transferred: ${language}`, async () => {
      const agent = clinicAgent({
        language: language as AgentLanguage,
        transferTargets: ["sip:desk@example"],
      });
      const events = await respond(agent, { type: "utterance", text: said, confidence: 1 });
      expect(events).toContainEqual({ type: "transfer", target: "sip:desk@example" });
    });
  }

  /** Recognised texts that end or transfer the call, with confidence. */
  const DOUBTFUL: readonly (readonly [AgentLanguage, string, number, "goodbye" | "human"])[] = [
    ["en", "thank you goodbye", 0.5, "goodbye"],
    ["en", "bye", 0.59, "goodbye"],
    ["en", "hello goodbye", 0.9, "goodbye"],
    ["en", "Bye, I am forty, can I learn it?", 0.97, "goodbye"],
    ["en", "My doctor said goodbye to me when I was there", 0.9, "goodbye"],
    ["en", "operator", 0.5, "human"],
    ["en", "When I was there I wanted to speak about it with the manager again", 0.9, "human"],
    ["lt", "iki", 0.5, "goodbye"],
    ["lv", "tas ir viss", 0.5, "goodbye"],
    ["ru", "это всё", 0.5, "goodbye"],
    ["ru", "хочу говорить с человеком", 0.5, "human"],
  ];
  const YES = { en: "yes", lt: "taip", lv: "jā", ru: "да" };
  const NO = { en: "no", lt: "ne", lv: "nē", ru: "нет" };
  const leaves = (events: readonly LlmEvent[]) =>
    events.some(({ type }) => type === "end_call" || type === "transfer");

  test.each(DOUBTFUL)(
    "%s: %j at %d is confirmed before the call ends or is transferred",
    async (...row) => {
      const [language, text, confidence, intent] = row;
      const doubtful = { type: "utterance", text, confidence } as const;
      const doubting = async () => {
        const agent = clinicAgent({ language, transferTargets: ["sip:desk@example"] });
        const asked = await respond(agent, doubtful);
        expect([leaves(asked), expected(asked)]).toEqual([false, "yes_no"]);
        expect(spoken(asked)).toEndWith("?");
        return agent;
      };
      const type = intent === "goodbye" ? "end_call" : "transfer";
      const confirmed = await respond(await doubting(), YES[language]);
      expect(confirmed.map((event) => event.type)).toContain(type);
      const repeated = await respond(await doubting(), doubtful);
      expect(repeated.map((event) => event.type)).toContain(type);
      const denied = await respond(await doubting(), NO[language]);
      expect([leaves(denied), expected(denied)]).toEqual([false, "open"]);
      const nothing = { type: "utterance", text: "", confidence: 0 } as const;
      const agent = await doubting();
      expect(expected(await respond(agent, nothing))).toBe("yes_no");
      expect(leaves(await respond(agent, nothing))).toBe(false);
      expect(await ask(await doubting(), { type: "digits", digits: "2" })).not.toBe("");
      const pressed = await respond(await doubting(), { type: "digits", digits: "1" });
      expect(pressed.map((event) => event.type)).toContain(type);
    },
  );

  test.each([
    ["That was all I wanted to know. Goodbye.", "end_call"],
    ["Okay, thank you, bye.", "end_call"],
    ["Bye.", "end_call"],
    ["I do not know. Could you put me through to somebody at the reception?", "transfer"],
  ])("%j as a separate sentence is executed", async (text, type) => {
    const agent = clinicAgent({ transferTargets: ["sip:desk@example"] });
    const events = await respond(agent, { type: "utterance", text, confidence: 0.6 });
    expect(events.map((event) => event.type as string)).toContain(type);
  });

  test("a doubtful no after the last offer is confirmed before the call ends", async () => {
    const agent = clinicAgent();
    await ask(agent, "thank you");
    const doubtful = { type: "utterance", text: "no", confidence: 0.4 } as const;
    expect(leaves(await respond(agent, doubtful))).toBe(false);
    expect(leaves(await respond(agent, "yes"))).toBe(true);
  });

  test.each(["okay", "right", "mhm", "uh huh", "aha", "fine"])(
    "%j answers a question with yes",
    async (text) => {
      const agent = clinicAgent();
      await respond(agent, "i want to speak to a human");
      expect(await ask(agent, text)).toContain("say your message");
    },
  );

  test.each(["hmm", "oh", "i see", "got it"])("%j does not answer a question", async (text) => {
    const agent = clinicAgent();
    await respond(agent, "i want to speak to a human");
    const again = await respond(agent, text);
    expect(spoken(again)).toStartWith("Please say yes or no");
    expect(expected(again)).toBe("yes_no");
    expect(await ask(agent, "yes")).toContain("say your message");
  });

  test("without a transfer target a message is offered and taken", async () => {
    const agent = clinicAgent();
    expect(expected(await respond(agent, "i want to speak to a human"))).toBe("yes_no");
    expect(await ask(agent, "yes")).toContain("say your message");
    expect(await ask(agent, "this is anna please call me back")).toContain("will be passed on");
    const { text: summary } = await agent.summarize({
      reason: "caller_hangup",
      durationSeconds: 42,
    });
    expect(summary).toContain("message was left");
  });

  test("a request to repeat speaks the last answer again", async () => {
    const agent = clinicAgent();
    const answer = await ask(agent, "do you treat children");
    expect(await ask(agent, "could you repeat that please")).toBe(answer);
  });

  test("silence is answered with a prompt, never with silence", async () => {
    for (const count of [1, 2]) {
      expect(await ask(clinicAgent(), { type: "silence", count })).not.toBe("");
    }
  });
});

describe("tools", () => {
  const RIGHT: LlmInput = { type: "utterance", text: "yes", confidence: 0.99 };

  test("values are asked for one by one and the tool is called with them", async () => {
    const agent = clinicAgent({ tools: [BOOKING] });
    const first = await respond(agent, "i would like to book an appointment");
    expect(spoken(first)).toContain("the day of the appointment");
    expect(expected(first)).toBe("date");
    expect(await ask(agent, "next tuesday")).toContain("2026-11-24");
    expect(expected(await respond(agent, RIGHT))).toBe("time");
    await respond(agent, "half past nine in the morning");
    const asksPhone = await respond(agent, RIGHT);
    expect(expected(asksPhone)).toBe("digits");
    expect(await ask(agent, "five five five one two three four")).toContain("5 5 5, 1 2 3, 4");
    const calls = await respond(agent, RIGHT);
    const call = calls.find((event) => event.type === "tool_call");
    expect(call).toMatchObject({
      tool: "book_appointment",
      arguments: { date: "2026-11-24", time: "09:30", phone: "5551234" },
    });
  });

  test("keypad digits are accepted without confirmation", async () => {
    const tool = { ...BOOKING, parameters: { ...BOOKING.parameters, required: ["phone"] } };
    const agent = clinicAgent({ tools: [tool] });
    await respond(agent, "book an appointment");
    const calls = await respond(agent, { type: "digits", digits: "37061234567" });
    expect(calls.some((event) => event.type === "tool_call")).toBe(true);
  });

  async function callTool(agent: LlmSession): Promise<string> {
    const events = await respond(agent, "book an appointment");
    const call = events.find((event) => event.type === "tool_call");
    return call?.toolCallId ?? "";
  }

  test("a result is spoken from its speech field", async () => {
    const agent = clinicAgent({ tools: [{ ...BOOKING, parameters: { type: "object" } }] });
    const toolCallId = await callTool(agent);
    const output = { speech: "You are booked for Tuesday", id: 7 };
    const said = await ask(agent, { type: "tool_result", toolCallId, ok: true, output });
    expect(said).toStartWith("You are booked for Tuesday.");
    const { text: summary } = await agent.summarize({
      reason: "agent_hangup",
      durationSeconds: 20,
    });
    expect(summary).toContain("book appointment");
  });

  test("a result without one is spoken as facts", async () => {
    const agent = clinicAgent({ tools: [{ ...BOOKING, parameters: { type: "object" } }] });
    const toolCallId = await callTool(agent);
    const output = { order_state: "shipped", arrives: "Monday" };
    const said = await ask(agent, { type: "tool_result", toolCallId, ok: true, output });
    expect(said).toContain("order state: shipped. arrives: Monday.");
  });

  test("a failed tool gets an apology and a message is offered", async () => {
    const agent = clinicAgent({ tools: [{ ...BOOKING, parameters: { type: "object" } }] });
    const toolCallId = await callTool(agent);
    const input: LlmInput = { type: "tool_result", toolCallId, ok: false, output: "timeout" };
    expect(await ask(agent, input)).toContain("sorry");
  });

  test("a value misunderstood three times leads to a message", async () => {
    const agent = clinicAgent({ tools: [BOOKING] });
    await respond(agent, "book an appointment");
    await respond(agent, "well");
    await respond(agent, "hm");
    expect(await ask(agent, "dunno")).toContain("leave a message");
  });
});

const CALLING_BACK: ToolSnapshot = {
  name: "call_back",
  description: "Calls back.",
  parameters: {
    type: "object",
    required: ["phone"],
    properties: { phone: { type: "string", description: "your telephone number" } },
  },
};

describe("without recognition the caller answers by keys", () => {
  const keys = {
    lt: ["Spauskite 1, jei taip, arba 2, jei ne.", "Spauskite 1 arba 2."],
    lv: ["Nospiediet 1, ja jā, vai 2, ja nē.", "Nospiediet 1 vai 2."],
    ru: ["Нажмите 1, если да, или 2, если нет.", "Нажмите 1 или 2."],
  } as const;
  const pressed = (digits: string): LlmInput => ({ type: "digits", digits });
  const nothing: LlmInput = { type: "utterance", text: "", confidence: 0 };

  for (const language of ["lt", "lv", "ru"] as const) {
    const [yesNo, oneOrTwo] = keys[language];

    test(`yes or no, once per question: ${language}`, async () => {
      const agent = clinicAgent({ language, isUnheard: true });
      expect(await ask(agent, pressed("0"))).toEndWith(yesNo);
      const again = await ask(agent, nothing);
      expect(again).toBe(`${PHRASES[language].slotNotUnderstood} ${yesNo}`);
      expect(await ask(agent, { type: "silence", count: 1 })).toEndWith(yesNo);
      expect(await ask(agent, pressed("1"))).toBe(PHRASES[language].leaveMessage);
    });

    test(`one of two topics, and a number: ${language}`, async () => {
      const choosing = clinicAgent({ language, isUnheard: true });
      const doubtful = {
        type: "utterance",
        text: "how much consultation filling",
        confidence: 0.59,
      } as const;
      expect(await ask(choosing, doubtful)).toEndWith(oneOrTwo);
      const filling = clinicAgent({ language, isUnheard: true, tools: [CALLING_BACK] });
      const question = await ask(filling, { ...doubtful, text: "call back", confidence: 0.9999 });
      expect(question).toEndWith(PHRASES[language].byKeypad);
      expect(question.split(PHRASES[language].byKeypad)).toHaveLength(2);
    });

    test(`a topic, at once: ${language}`, async () => {
      const agent = clinicAgent({ language, isUnheard: true });
      expect(await ask(agent, nothing)).toStartWith(PHRASES[language].menuIntro);
      expect(await ask(agent, pressed("1"))).toContain("nine to five");
    });
  }

  test("with recognition the caller answers by words", async () => {
    const agent = clinicAgent({ language: "lt" });
    expect(await ask(agent, pressed("0"))).toBe(PHRASES.lt.nobodyFree);
  });
});

describe("summary", () => {
  test("gives the length of a transferred call in words", async () => {
    const end = { reason: "transferred", durationSeconds: 75 } as const;
    const { text } = await clinicAgent({ language: "lt" }).summarize(end);
    expect(text).toContain("Skambutis perduotas po 1 min. 15 sek.");
    const { text: english } = await clinicAgent().summarize(end);
    expect(english).toEndWith("The call was transferred after 1 min 15 sec.");
  });

  test("contains the questions and the end of the call", async () => {
    const agent = clinicAgent();
    await respond(agent, "how much is a filling");
    await respond(agent, "do you treat children");
    const { text: summary } = await agent.summarize({
      reason: "caller_hangup",
      durationSeconds: 75,
    });
    expect(summary).toContain("How much is a filling?");
    expect(summary).toContain("Do you treat children?");
    expect(summary).toContain("hung up after 1:15");
  });

  for (const language of ["lt", "lv", "en", "ru"] as const) {
    test(`is one or two sentences for a silent call: ${language}`, async () => {
      const { text: summary } = await clinicAgent({ language }).summarize({
        reason: "silence_timeout",
        durationSeconds: 30,
      });
      expect(summary.match(/\.(\s|$)/g)?.length).toBe(2);
    });
  }
});
