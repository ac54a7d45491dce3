/**
 * Audio of answered outbound calls: people and machines in four languages, spoken by the embedded
 * voice, with line noise, beeps, special information tones and screening services. 8 kHz, starting
 * at the answer.
 */

import type { AnsweredBy } from "../../../src/conversation/answering-machine-detection/detector.ts";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import type { Synthesiser } from "../../../src/engine/embedded/synthesiser.ts";
import type { AgentLanguage } from "../../../src/features/agent/agent.ts";
import { sine } from "../../../src/platform/audio/tones.ts";

const RATE_HZ = 8_000;

export interface Answer {
  readonly name: string;
  readonly language: AgentLanguage;
  readonly truth: AnsweredBy;
  /** Sentences, and the pauses between them in ms. */
  readonly says: readonly string[];
  readonly pauseMs?: number;
  /** Silence before the first word. */
  readonly afterMs: number;
  readonly beep?: readonly { readonly hz: number; readonly ms: number }[];
  readonly sit?: boolean;
  /** Noise level in dB below −20 dBFS speech. */
  readonly noiseDb: number;
}

const HUMANS: readonly (readonly [AgentLanguage, readonly string[]])[] = [
  ["en", ["Hello?"]],
  ["en", ["Hi, Tom speaking."]],
  ["en", ["Bright Smile dental clinic, Anna speaking, how can I help you?"]],
  ["lt", ["Alio?"]],
  ["lt", ["Taip, klausau."]],
  ["lt", ["Laba diena, odontologijos klinika, kuo galiu padėti?"]],
  ["lv", ["Hallo?"]],
  ["lv", ["Jā, klausos."]],
  ["lv", ["Labdien, zobārstniecība, ar ko varu palīdzēt?"]],
  ["ru", ["Алло?"]],
  ["ru", ["Да, слушаю вас."]],
  ["ru", ["Добрый день, стоматология, чем могу помочь?"]],
];

const MACHINES: readonly (readonly [AgentLanguage, readonly string[]])[] = [
  [
    "en",
    ["You have reached the voicemail of Tom Smith.", "Please leave a message after the tone."],
  ],
  ["en", ["Hi, this is Tom. I can't take your call right now, so leave a message."]],
  [
    "en",
    [
      "The person you are trying to reach is not available. At the tone, please record your message.",
    ],
  ],
  ["lt", ["Jūs paskambinote Jonui. Šiuo metu negaliu atsiliepti.", "Palikite žinutę po signalo."]],
  ["lt", ["Abonentas šiuo metu nepasiekiamas. Palikite pranešimą balso pašte."]],
  ["lv", ["Jūs esat piezvanījuši Jānim. Šobrīd nevaru atbildēt.", "Atstājiet ziņu pēc signāla."]],
  ["lv", ["Abonents nav sasniedzams, lūdzu atstājiet ziņojumu balss pastā."]],
  [
    "ru",
    [
      "Здравствуйте, вы позвонили Ивану. Сейчас я не могу ответить.",
      "Оставьте сообщение после сигнала.",
    ],
  ],
  ["ru", ["Абонент не отвечает. Оставьте голосовое сообщение после сигнала."]],
];

const SCREENINGS: readonly (readonly [AgentLanguage, readonly string[]])[] = [
  [
    "en",
    [
      "Hi, the person you're calling is using a screening service. Please say your name and why you're calling.",
    ],
  ],
  ["en", ["Please state your name after the pause, and I will see if this person is available."]],
  ["lt", ["Pasakykite savo vardą ir kokiu reikalu skambinate."]],
  ["lv", ["Lūdzu, nosauciet savu vārdu un kādā jautājumā zvanāt."]],
  ["ru", ["Представьтесь, пожалуйста, и скажите, по какому вопросу вы звоните."]],
];

const BEEPS: readonly (readonly { hz: number; ms: number }[])[] = [
  [{ hz: 1_000, ms: 400 }],
  [{ hz: 440, ms: 1_000 }],
  [{ hz: 1_400, ms: 180 }],
  [{ hz: 2_040, ms: 300 }],
];

/** Special information tones (ITU-T E.180): three in a row, no beep. */
const SIT = [950, 1_400, 1_800] as const;

export function answers(): Answer[] {
  const all: Answer[] = [];
  for (const noiseDb of [40, 15]) {
    for (const [language, says] of HUMANS)
      all.push({
        name: `human: ${says[0]}`,
        language,
        truth: "human",
        says,
        afterMs: 300,
        noiseDb,
      });
    MACHINES.forEach(([language, says], index) => {
      const beep = BEEPS[index % BEEPS.length];
      const machine = { language, truth: "machine" as const, says, noiseDb, pauseMs: 400 };
      all.push({ name: `machine: ${says[0]}`, ...machine, afterMs: 500, beep });
    });
    for (const [language, says] of SCREENINGS)
      all.push({
        name: `screening: ${says[0]}`,
        language,
        truth: "unknown",
        says,
        afterMs: 400,
        noiseDb,
      });
    all.push({
      name: "nobody speaks",
      language: "en",
      truth: "unknown",
      says: [],
      afterMs: 3_000,
      noiseDb,
    });
    all.push({
      name: "only a beep",
      language: "lt",
      truth: "machine",
      says: [],
      afterMs: 700,
      noiseDb,
      beep: [{ hz: 850, ms: 500 }],
    });
    all.push({
      name: "special information tones, then a person",
      language: "en",
      truth: "human",
      says: ["Hello?"],
      afterMs: 400,
      noiseDb,
      sit: true,
    });
  }
  return all;
}

export interface Rendered {
  readonly pcm: Int16Array;
  /** End time of each text in ms, for an ideal recogniser. */
  readonly words: readonly {
    readonly text: string;
    readonly fromMs: number;
    readonly toMs: number;
  }[];
  /** End of the last beep; null if there is none. */
  readonly beepEndMs: number | null;
}

export async function render(
  answer: Answer,
  voices: Synthesiser,
  voice: string,
  tailMs = 4_000,
): Promise<Rendered> {
  const random = seededRandom(answer.name.length * 31 + answer.noiseDb);
  const parts: Int16Array[] = [quiet(answer.afterMs)];
  const words: { text: string; fromMs: number; toMs: number }[] = [];
  const length = () => Math.round(parts.reduce((sum, part) => sum + part.length, 0) / 8);
  if (answer.sit) for (const hz of SIT) parts.push(sine(hz, 330, RATE_HZ, 6_000));
  if (answer.sit) parts.push(quiet(500));
  for (const text of answer.says) {
    const { language } = answer;
    const fromMs = length();
    parts.push(trimmed(await voices.speakAll({ text, language, voice, sampleRateHz: RATE_HZ })));
    words.push({ text, fromMs, toMs: length() });
    parts.push(quiet(answer.pauseMs ?? 0));
  }
  if (answer.beep) parts.push(quiet(300));
  for (const { hz, ms } of answer.beep ?? []) parts.push(sine(hz, ms, RATE_HZ, 7_000));
  const beepEndMs = answer.beep ? length() : null;
  parts.push(quiet(tailMs));
  return { pcm: withNoise(joined(parts), answer.noiseDb, random), words, beepEndMs };
}

const quiet = (ms: number) => new Int16Array(ms * 8);

function joined(parts: readonly Int16Array[]): Int16Array {
  const pcm = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    pcm.set(part, at);
    at += part.length;
  }
  return pcm;
}

function trimmed(pcm: Int16Array): Int16Array {
  const first = pcm.findIndex((sample) => Math.abs(sample) > 100);
  const last = pcm.findLastIndex((sample) => Math.abs(sample) > 100);
  return pcm.subarray(Math.max(0, first), last + 1);
}

/** Adds white noise, `noiseDb` below speech at −20 dBFS. */
export function withNoise(pcm: Int16Array, noiseDb: number, random: Random): Int16Array {
  const amplitude = 32_768 * 10 ** ((-20 - noiseDb) / 20);
  return pcm.map((sample) => {
    const radius = Math.sqrt(-2 * Math.log(random.float() + 1e-12));
    return sample + amplitude * radius * Math.cos(2 * Math.PI * random.float());
  });
}
