/**
 * Turn-taking in four languages with real voices over a real detector, in audio time: about 40 s. Each test names
 * the guarantee and prints its measurements.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import type { LlmEvent } from "../../src/conversation/engine-port.ts";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import { createSynthesiser } from "../../src/engine/embedded/synthesiser.ts";
import type { AgentLanguage } from "../../src/features/agent/agent.ts";
import { loadVad } from "../../src/media/audio/vad.ts";
import { cough, type LabOptions, type LabParts, openLab } from "../support/speech/turn-lab.ts";

interface Lines {
  readonly question: string;
  readonly unfinished: readonly [string, string];
  readonly number: readonly [string, string, string];
  readonly nameQuestion: string;
  readonly name: readonly [string, string];
  readonly interruption: string;
  readonly mhm: string;
  readonly long: string;
}

const LINES: Readonly<Record<AgentLanguage, Lines>> = {
  en: {
    question: "When are you open tomorrow?",
    unfinished: ["I would like to", "book a table for two"],
    number: ["my number is eight six one", "two three four", "five six seven"],
    nameQuestion: "What is your full name?",
    name: ["Jonathan", "Featherstone"],
    interruption: "wait I have another question",
    mhm: "aha",
    long: "We are open Monday to Friday from nine to five, and on Saturday from ten to two, but never on Sunday.",
  },
  lt: {
    question: "Kada rytoj dirbate?",
    unfinished: ["Aš norėčiau", "užsiregistruoti pas gydytoją"],
    number: ["mano numeris aštuoni šeši vienas", "du trys keturi", "penki šeši septyni"],
    nameQuestion: "Koks jūsų vardas ir pavardė?",
    name: ["Jonas", "Petraitis"],
    interruption: "palaukite turiu kitą klausimą",
    mhm: "aha",
    long: "Mes dirbame nuo pirmadienio iki penktadienio nuo devynių iki penkių, o šeštadienį nuo dešimtos iki antros.",
  },
  lv: {
    question: "Kad jūs rīt strādājat?",
    unfinished: ["Es vēlos", "pierakstīties pie ārsta"],
    number: ["mans numurs ir astoņi seši viens", "divi trīs četri", "pieci seši septiņi"],
    nameQuestion: "Kāds ir jūsu vārds un uzvārds?",
    name: ["Jānis", "Bērziņš"],
    interruption: "pagaidiet man ir cits jautājums",
    mhm: "aha",
    long: "Mēs strādājam no pirmdienas līdz piektdienai no deviņiem līdz pieciem, bet sestdien no desmitiem līdz diviem.",
  },
  ru: {
    question: "Когда вы завтра работаете?",
    unfinished: ["Я хочу", "записаться к врачу"],
    number: ["мой номер восемь шесть один", "два три четыре", "пять шесть семь"],
    nameQuestion: "Как вас зовут?",
    name: ["Иван", "Петров"],
    interruption: "подождите у меня другой вопрос",
    mhm: "угу",
    long: "Мы работаем с понедельника по пятницу с девяти до пяти, а в субботу с десяти до двух часов.",
  },
};
const LANGUAGES = Object.keys(LINES) as AgentLanguage[];

const text = (words: string): LlmEvent => ({ type: "text", text: words });
/** Tolerance of detector and pacing, in frames before speech and silence are certain. */
const DETECTOR_MS = 200;

let parts: LabParts;
beforeAll(async () => {
  const [voices, createVad] = await Promise.all([createSynthesiser(), loadVad()]);
  parts = { voices, createVad };
}, 60_000);

const lab = (language: AgentLanguage, options: Partial<LabOptions> = {}) =>
  openLab(parts, { language, answers: () => [text(LINES[language].long)], ...options });

describe.each(LANGUAGES)("%s", (language) => {
  const lines = LINES[language];

  test("a finished sentence is answered after 350 ms, an unfinished one may continue", async () => {
    const call = await lab(language, { answers: () => [text(lines.long)] });
    await call.answered();
    await call.says(lines.question);
    const waitedMs = await call.until(() => call.inputs.length > 0);
    console.info(`${language} finished sentence: asked after ${waitedMs} ms`);
    expect(waitedMs).toBeLessThan(350 + DETECTOR_MS);

    const slow = await lab(language);
    await slow.answered();
    await slow.says(lines.unfinished[0]);
    await slow.pass(640);
    expect(slow.inputs).toEqual([]);
    await slow.says(lines.unfinished[1]);
    await slow.until(() => slow.inputs.length > 0);
    expect(slow.inputs).toMatchObject([{ text: lines.unfinished.join(" ") }]);
  }, 60_000);

  test("a number in groups and a name are one utterance; the maximum silence is three seconds", async () => {
    const call = await lab(language);
    await call.answered();
    await call.says(lines.number[0]);
    await call.pass(1_200);
    await call.says(lines.number[1]);
    await call.pass(1_200);
    await call.says(lines.number[2]);
    const waitedMs = await call.until(() => call.inputs.length > 0);
    expect(call.inputs).toMatchObject([{ text: lines.number.join(" ") }]);
    expect(waitedMs).toBeGreaterThan(1_200);
    expect(waitedMs).toBeLessThan(3_000);

    const named = await lab(language, { answers: () => [text(lines.nameQuestion)] });
    await named.answered();
    await named.says(lines.question);
    await named.until(() => named.turns().some(({ speaker }) => speaker === "agent"));
    await named.says(lines.name[0]);
    await named.pass(1_000);
    await named.says(lines.name[1]);
    await named.until(() => named.inputs.length > 1);
    expect(named.inputs[1]).toMatchObject({ text: lines.name.join(" ") });
  }, 60_000);

  test("an interruption stops the agent, and the LLM learns which words were heard", async () => {
    const call = await lab(language);
    await call.answered();
    await call.says(lines.question);
    await call.until(() => call.agentSpeaks);
    await call.pass(1_500);
    const lengthMs = await call.begins(lines.interruption);
    const stoppedMs = await call.until(() => !call.agentSpeaks);
    console.info(`${language} barge-in: silent after ${stoppedMs} ms of speech`);
    expect(stoppedMs).toBeLessThan(400 + 2 * DETECTOR_MS);
    await call.pass(Math.max(0, lengthMs - stoppedMs));
    await call.until(() => call.inputs.length > 1);
    expect(call.inputs[1]).toMatchObject({ text: lines.interruption });
    expect(call.truncated).toHaveLength(1);
    expect(lines.long).toStartWith(call.truncated[0] ?? "-");
    expect(call.turns().find(({ speaker }) => speaker === "agent")).toMatchObject({
      interrupted: true,
      text: call.truncated[0],
    });
  }, 60_000);

  test("a back-channel word does not stop the agent", async () => {
    const call = await lab(language);
    await call.answered();
    await call.says(lines.question);
    await call.until(() => call.agentSpeaks);
    await call.pass(1_500);
    await call.says(lines.mhm);
    await call.pass(1_000);
    expect(call.agentSpeaks).toBe(true);
    await call.until(() => call.turns().some(({ speaker }) => speaker === "agent"));
    expect(call.turns().find(({ speaker }) => speaker === "agent")).toMatchObject({
      interrupted: false,
      text: lines.long,
    });
    expect(call.inputs).toHaveLength(1);
  }, 60_000);

  test("a long back-channel word may stop the agent, who then continues its sentence", async () => {
    const call = await lab(language);
    await call.answered();
    await call.says(lines.question);
    await call.until(() => call.agentSpeaks);
    await call.pass(1_500);
    await call.says(`${lines.mhm} ${lines.mhm} ${lines.mhm}`);
    await call.until(() => call.turns().at(-1)?.text.endsWith(lines.long.slice(-20)) ?? false);
    expect(call.inputs).toHaveLength(1);
  }, 60_000);

  test("a cough, and noise 15 dB below the voice, change nothing: the sentence is spoken to its end", async () => {
    const call = await lab(language, { noiseDb: 15 });
    await call.answered();
    await call.says(lines.question);
    await call.until(() => call.inputs.length > 0);
    await call.until(() => call.agentSpeaks);
    await call.pass(1_200);
    call.sound(cough());
    await call.until(() => call.session.turn.name === "listening" && !call.agentSpeaks, 30_000);
    const heard = call
      .turns()
      .filter(({ speaker }) => speaker === "agent")
      .map((turn) => turn.text);
    expect(heard.at(-1)?.endsWith(lines.long.slice(-20))).toBe(true);
    await call.pass(6_000);
    expect(call.inputs).toHaveLength(1);
  }, 60_000);

  test("a caller who starts together with the agent is heard: both begin, the agent yields", async () => {
    const call = await lab(language);
    await call.answered();
    await call.says(lines.question);
    await call.until(() => call.agentSpeaks);
    await call.says(lines.interruption);
    await call.until(() => call.inputs.length > 1);
    expect(call.inputs[1]).toMatchObject({ text: expect.stringContaining(lines.interruption) });
  }, 60_000);

  test("the agent's own echo is not recognised as speech", async () => {
    const call = await lab(language, { echo: 0.3 });
    await call.answered();
    await call.says(lines.question);
    await call.until(() => call.agentSpeaks);
    await call.until(() => call.turns().some(({ speaker }) => speaker === "agent"));
    expect(call.turns().filter(({ interrupted }) => interrupted)).toEqual([]);
    await call.pass(2_000);
    expect(call.inputs).toHaveLength(1);
  }, 60_000);

  test("a silent caller is prompted after 8 s, twice, and disconnected at 30 s", async () => {
    const call = await lab(language, { answers: () => [] });
    const phrases = phrasesFor(language);
    await call.answered();
    const since = call.nowMs();
    const firstMs = await call.until(() => call.agentSpeaks, 12_000);
    expect(Math.abs(firstMs - 8_000)).toBeLessThan(400);
    await call.until(() => call.messages.some(({ type }) => type === "hangup_requested"), 45_000);
    const spoken = call.turns().map((turn) => turn.text);
    expect(spoken).toEqual([...phrases.idlePrompts, phrases.silenceGoodbye]);
    const goodbye = call.turns().at(-1);
    expect(Math.abs((goodbye?.startMs ?? 0) - since - 30_000)).toBeLessThan(1_000);
  }, 60_000);
});
