/** Packets, codecs, MP3, the embedded recogniser. */
import { measureHearing } from "../hearing/prompts.ts";
import { measureCodecs, measureToneDetection } from "../media/codecs.ts";
import { measureEncoding } from "../media/encoding.ts";
import { measurePacing, PACERS } from "../media/pacing.ts";
import { ms, type Section } from "../report.ts";
import { measureTalkers } from "../talkers/talkers.ts";
import { JUDGING_CALLERS } from "../understanding/callers.ts";
import { GARAGE } from "../understanding/faqs/garage.ts";
import { HOTEL } from "../understanding/faqs/hotel.ts";
import { SCHOOL } from "../understanding/faqs/school.ts";
import type { Outcome } from "../understanding/trials.ts";
import {
  interval,
  KINDS,
  measureUnderstanding,
  type Trial,
} from "../understanding/understanding.ts";

const media: Section = {
  name: "media",
  async measure({ full, note }) {
    const results = [];
    for (const streams of full ? [50, 100, 250, 500] : [250]) {
      const result = await measurePacing(streams, full ? 20 : 2);
      if (!result) continue;
      results.push(result);
      const plain = result.find(({ who }) => who === "plain C loop");
      for (const { who, pacing } of result)
        note({
          what: `|interval − 20 ms|, ${streams} streams, ${who}`,
          ...(who === "ours" && streams === 250 ? { goal: "p99 ≤ 2 ms, p99.9 ≤ 5 ms" } : {}),
          value: `p50 ${ms(pacing.p50)}, p99 ${ms(pacing.p99)}, p99.9 ${ms(pacing.p999)}; lost ${pacing.lost}; ${pacing.cpuPercent.toFixed(0)} % of a core`,
          ...(who === "ours" && plain
            ? { ratio: `p99 ${(pacing.p99 / plain.pacing.p99).toFixed(1)} × a plain C loop's` }
            : {}),
          method: PACERS[who],
        });
    }
    return results;
  },
};

const codecs: Section = {
  name: "codecs",
  async measure({ full, note }) {
    const audioSeconds = full ? 120 : 10;
    const measured = await measureCodecs(audioSeconds);
    for (const { line, encode, decode, cpuPercentPerCall } of measured)
      note({
        what: `codec ${line}`,
        value: `out ${encode.toFixed(0)} ×, in ${decode.toFixed(0)} × real time; ${cpuPercentPerCall.toFixed(2)} % of a core per call`,
        method: "frame to datagram, datagram to frame, 20 ms, one core",
      });
    const toneDetection = measureToneDetection(audioSeconds);
    note({
      what: "DTMF tone detection",
      value: `${toneDetection.toFixed(0)} × real time`,
      method: "without telephone-events",
    });
    return { codecs: measured, toneDetection };
  },
};

const mp3: Section = {
  name: "mp3",
  async measure({ full, note }) {
    const result = await measureEncoding(full ? 600 : 60);
    const { timesRealTime, nativeTimesRealTime } = result;
    note({
      what: "MP3",
      value: `${timesRealTime.toFixed(0)} × real time`,
      ...(nativeTimesRealTime === null
        ? {}
        : { ratio: `${(timesRealTime / nativeTimesRealTime).toFixed(2)} × native LAME in ffmpeg` }),
      method: `${result.audioSeconds} s stereo 8 kHz WAV in the encoder worker`,
    });
    return result;
  },
};

const hearing: Section = {
  name: "hearing",
  async measure({ full, note }) {
    const results = [];
    for (const noiseDb of full ? [35, 25] : [35]) {
      const result = await measureHearing(full ? 100 : 20, noiseDb);
      if (result === null) continue;
      results.push({ noiseDb, ...result });
      const share = (100 * result.wrong) / result.words;
      note({
        what: `words read wrong, noise ${noiseDb} dB below speech`,
        ...(noiseDb === 35 ? { goal: "≤ 5 %" } : {}),
        value: `${result.wrong} of ${result.words} (${share.toFixed(1)} %), ${result.sentences} sentences`,
        method: "prompts that a person recorded (Debian), over G.711; spelling is levelled",
      });
    }
    return results;
  },
};

const talkers: Section = {
  name: "talkers",
  async measure({ full, note }) {
    const results = await measureTalkers(full ? [1, 2, 4, 6, 8] : [4], full ? 8 : 2);
    for (const { talkers: count, p50Ms, p95Ms, utterances, lost, cores } of results)
      note({
        what: `${count} talk at once to a speech worker`,
        ...(count === 4 ? { goal: "p95 ≤ 1.2 s, none lost" } : {}),
        value: `last word to text p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}; ${lost} of ${utterances} lost; ${cores.toFixed(2)} cores`,
        method:
          "recorded sentences in real time, a pause as long as the answer; reading starts at the end",
      });
    return results;
  },
};

/** Right outcomes per kind of question. */
const GOOD: Readonly<Record<Trial["kind"], readonly Outcome[]>> = {
  "as written": ["right"],
  paraphrased: ["right", "asked rightly"],
  "off topic": ["refused"],
};
const GOALS: Readonly<Record<Trial["kind"], string>> = {
  "as written": "≥ 93 %, ≤ 1 % wrong",
  paraphrased: "≥ 85 %, ≤ 3 % wrong",
  "off topic": "≥ 93 %, no command",
};

const understanding: Section = {
  name: "understanding",
  async measure({ full, note }) {
    const faqs = full ? [GARAGE, HOTEL, SCHOOL] : [GARAGE];
    const trials = await measureUnderstanding(faqs, JUDGING_CALLERS, full ? 300 : 30);
    const callers = [...new Set(trials.map(({ caller }) => caller))];
    const percent = (share: number) => (100 * share).toFixed(0);
    for (const faq of full ? [null, ...faqs.map(({ name }) => name)] : [null])
      for (const kind of KINDS) {
        const asked = trials.filter(
          (trial) => trial.kind === kind && trial.faq === (faq ?? trial.faq),
        );
        const good = asked.filter(({ outcome }) => GOOD[kind].includes(outcome)).length;
        const wrong = asked.filter(({ outcome }) => outcome === "wrong").length;
        const shares = (count: number) =>
          `${count} of ${asked.length} (${interval(count, asked.length).map(percent).join("–")} %)`;
        const counts = Object.entries(Object.groupBy(asked, ({ outcome }) => outcome));
        note({
          what: `understood, ${faq ?? (full ? "all three" : GARAGE.name)}, ${kind}`,
          ...(faq === null ? { goal: GOALS[kind] } : {}),
          value: `${shares(good)}; wrong ${shares(wrong)}`,
          method: `${counts.map(([outcome, those]) => `${those?.length ?? 0} ${outcome}`).join(", ")}; by ${callers.join(", ")}`,
        });
      }
    return trials;
  },
};

export const AUDIO_SECTIONS: readonly Section[] = [
  media,
  codecs,
  mp3,
  hearing,
  talkers,
  understanding,
];
