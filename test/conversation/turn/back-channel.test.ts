/**
 * Back-channel words and short interruptions with real voices over the real detector, in four languages: how long
 * each is detected, and its effect in a whole conversation. Audio time.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { cutsIn, mayBeListening } from "../../../src/conversation/turn/interruption.ts";
import { SpeechDetector } from "../../../src/conversation/turn/speech-detector.ts";
import { isBackChannel } from "../../../src/conversation/words.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { createSynthesiser } from "../../../src/engine/embedded/synthesiser.ts";
import type { AgentLanguage, AgentVoice } from "../../../src/features/agent/agent.ts";
import { loadVad } from "../../../src/media/audio/vad.ts";
import { SETTINGS } from "../../support/media/scripted-call.ts";
import { type LabParts, openLab } from "../../support/speech/turn-lab.ts";

interface Lines {
  /**
   * Back-channel words; "
   * " separates.
   */
  readonly listening: string;
  /** Short, and meant to take the turn. */
  readonly stop: string;
  readonly interruption: string;
  readonly question: string;
  readonly long: string;
}

const LINES: Readonly<Record<AgentLanguage, Lines>> = {
  en: {
    listening:
      "ok / okay / mm / mhm / hmm / yep / yeah / yes / aha / uh-huh / right / sure / I see",
    stop: "stop",
    interruption: "I have another question for you",
    question: "When are you open tomorrow?",
    long: "We are open Monday to Friday from nine to five, and on Saturday from ten to two.",
  },
  lt: {
    listening: "mhm / aha / taip / jo / gerai / aišku / suprantu",
    stop: "palaukite",
    interruption: "aš norėjau paklausti dar vieno dalyko",
    question: "Kada rytoj dirbate?",
    long: "Mes dirbame nuo pirmadienio iki penktadienio nuo devynių iki penkių, o šeštadienį iki antros.",
  },
  lv: {
    listening: "mhm / aha / jā / labi / skaidrs / saprotu",
    stop: "pagaidiet",
    interruption: "man ir vēl viens cits jautājums",
    question: "Kad jūs rīt strādājat?",
    long: "Mēs strādājam no pirmdienas līdz piektdienai no deviņiem līdz pieciem, bet sestdien līdz diviem.",
  },
  ru: {
    listening: "мгм / угу / ага / да / так / ясно / понятно / хорошо",
    stop: "подождите",
    interruption: "у меня есть ещё другой вопрос",
    question: "Когда вы завтра работаете?",
    long: "Мы работаем с понедельника по пятницу с девяти до пяти, а в субботу с десяти до двух часов.",
  },
};
const LANGUAGES = Object.keys(LINES) as AgentLanguage[];
const VOICES = ["Sari", "Emma", "Nathan", "Adrian"] as const satisfies readonly AgentVoice[];

let parts: LabParts;
beforeAll(async () => {
  const [voices, createVad] = await Promise.all([createSynthesiser(), loadVad()]);
  parts = { voices, createVad };
}, 60_000);

/** After how many milliseconds this would interrupt an agent if no words are recognised; null: never. */
async function cutAfterMs(text: string, language: AgentLanguage, voice: AgentVoice) {
  const pcm = await parts.voices.speakAll({ text, language, voice, sampleRateHz: 8_000 });
  const first = pcm.findIndex((sample) => Math.abs(sample) > 60);
  const line = Int16Array.from([
    ...new Int16Array(8_000),
    ...pcm.subarray(first),
    ...new Int16Array(4_000),
  ]);
  const random = seededRandom(5);
  for (let index = 0; index < line.length; index++)
    line[index] = Math.max(
      -32_768,
      Math.min(32_767, (line[index] ?? 0) + (random.float() - 0.5) * 32),
    );
  const detector = new SpeechDetector(parts.createVad());
  for (let start = 0; start + 160 <= line.length; start += 160) {
    detector.process(line.subarray(start, start + 160));
    const speech = { speechMs: detector.soundMs, partial: "" };
    if (cutsIn(SETTINGS, language, speech) && !mayBeListening(speech)) return start / 8 - 1_000;
  }
  return null;
}

describe.each(LANGUAGES)("%s", (language) => {
  const lines = LINES[language];
  const listening = lines.listening.split(" / ");

  test("no back-channel word interrupts the agent, in any voice, even without recognised words", async () => {
    for (const word of listening) {
      expect(isBackChannel(word, language), word).toBe(true);
      for (const voice of VOICES)
        expect(await cutAfterMs(word, language, voice), `${word}, ${voice}`).toBeNull();
    }
  }, 60_000);

  test("continued speech interrupts the agent within 900 ms, even without recognised words", async () => {
    for (const voice of VOICES) {
      const cut = await cutAfterMs(lines.interruption, language, voice);
      expect(cut, voice).not.toBeNull();
      expect(cut, voice).toBeLessThanOrEqual(900);
    }
  }, 60_000);

  for (const withoutPartials of [false, true]) {
    const stt = withoutPartials ? "words known at the end only" : "words known as they are said";

    test(`a back-channel word does not interrupt the agent's sentence; ${stt}`, async () => {
      const call = await lab(language, withoutPartials);
      await call.says(listening[0] ?? "");
      await call.until(() => call.turns().some(({ speaker }) => speaker === "agent"));
      expect(call.turns().at(-1)).toMatchObject({ text: lines.long, interrupted: false });
      expect(call.inputs).toHaveLength(1);
    }, 60_000);

    test(`a short word that asks for the turn gets it; ${stt}`, async () => {
      const call = await lab(language, withoutPartials);
      await call.says(lines.stop);
      await call.until(() => call.inputs.length > 1, 3_000);
      expect(call.inputs[1]).toMatchObject({ text: lines.stop });
      const [agent] = call.turns().filter(({ speaker }) => speaker === "agent");
      expect(agent).toMatchObject({ interrupted: true });
      expect(call.truncated).toEqual([agent?.text ?? ""]);
    }, 60_000);
  }
});

/** The agent is a second and a half into its long sentence. */
async function lab(language: AgentLanguage, withoutPartials: boolean) {
  const answers = () => [{ type: "text", text: LINES[language].long } as const];
  const call = await openLab(parts, { language, withoutPartials, answers });
  await call.answered();
  await call.says(LINES[language].question);
  await call.until(() => call.agentSpeaks);
  await call.pass(1_500);
  return call;
}
