import { describe, expect, test } from "bun:test";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import { createVoices } from "../../../src/demo/voices.ts";
import { DigitMerge } from "../../../src/media/dtmf/digit-merge.ts";
import { DtmfDetector } from "../../../src/media/dtmf/tone-detector.ts";
import { decodeG711, encodeG711 } from "../../../src/platform/audio/g711.ts";
import { dtmfTones, sine } from "../../../src/platform/audio/tones.ts";
import { spoken } from "../../support/speech/spoken.ts";

const KEYS = "123A456B789C*0#D";

function detect(pcm: Int16Array, sampleRateHz = 8000): string {
  const detector = new DtmfDetector(sampleRateHz);
  const frame = sampleRateHz / 50;
  let keys = "";
  for (let from = 0; from + frame <= pcm.length; from += frame) {
    keys += detector.process(pcm.subarray(from, from + frame)) ?? "";
  }
  return keys;
}

function gauss(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(random.float() + 1e-12));
  return radius * Math.cos(2 * Math.PI * random.float());
}

/** The keys' tones, shifted by part of a block, over noise `snrDb` below them, through A-law. */
function noisyLine(pressMs: number, snrDb: number, random: Random): Int16Array {
  const tones = dtmfTones(KEYS, 8000, pressMs, 60);
  const pressed = tones.filter((sample) => sample !== 0);
  const power = pressed.reduce((sum, sample) => sum + sample * sample, 0) / pressed.length;
  const level = Math.sqrt(power / 10 ** (snrDb / 10));
  const shift = Math.floor(random.float() * 102);
  const line = Int16Array.from({ length: tones.length + 400 }, (_, index) =>
    Math.round((tones[index - shift] ?? 0) + gauss(random) * level),
  );
  const octets = new Uint8Array(line.length);
  encodeG711("PCMA", line, octets);
  decodeG711("PCMA", octets, line);
  return line;
}

describe("tones in the audio", () => {
  for (const rateHz of [8000, 16_000]) {
    test(`every key is detected once, at ${rateHz} Hz, from 40 ms on`, () => {
      for (const pressMs of [40, 65, 100, 400]) {
        expect(detect(dtmfTones(KEYS, rateHz, pressMs, 60), rateHz)).toBe(KEYS);
      }
    });
  }

  test("one key held for three seconds is one press, pressed again it is another", () => {
    expect(detect(dtmfTones("5", 8000, 3000, 60))).toBe("5");
    expect(detect(dtmfTones("5555", 8000, 80, 50))).toBe("5555");
  });

  // Of 320 presses each. When written, 98.8 % were detected at 40 ms and 15 dB, 97.5 % at 65 ms and 12 dB,
  // otherwise 100 %.
  for (const [pressMs, snrDb, share] of [
    ...([
      [40, 30, 1],
      [40, 20, 0.99],
      [40, 15, 0.95],
    ] as const),
    ...([
      [65, 20, 1],
      [65, 15, 0.99],
      [65, 12, 0.93],
    ] as const),
  ]) {
    test(`presses of ${pressMs} ms, noise ${snrDb} dB below: at least ${share * 100} % are detected`, () => {
      const random = seededRandom(snrDb);
      let heard = 0;
      for (let run = 0; run < 20; run++) {
        const keys = detect(noisyLine(pressMs, snrDb, random));
        let at = 0;
        for (const key of keys) {
          const found = KEYS.indexOf(key, at);
          expect(found).toBeGreaterThanOrEqual(0);
          at = found + 1;
          heard++;
        }
      }
      expect(heard / (20 * KEYS.length)).toBeGreaterThanOrEqual(share);
    });
  }

  test("25 dB quieter, and with one tone 6 dB stronger than the other, they are detected", () => {
    const quiet = dtmfTones(KEYS, 8000, 80, 60).map((sample) => sample / 18);
    expect(detect(quiet)).toBe(KEYS);
    const column = sine(1336, 100, 8000, 8000);
    const row = sine(770, 100, 8000, 4000);
    expect(detect(column.map((sample, index) => sample + (row[index] ?? 0)))).toBe("5");
  });

  test("tones off by 4 %, one tone alone, and 20 ms of tones are not keys", () => {
    const off = sine(770 * 1.04, 200, 8000, 5000);
    const far = sine(1336 * 1.04, 200, 8000, 5000);
    expect(detect(off.map((sample, index) => sample + (far[index] ?? 0)))).toBe("");
    for (const frequencyHz of [350, 425, 440, 697, 941, 1209, 1633]) {
      expect(detect(sine(frequencyHz, 1000, 8000))).toBe("");
    }
    expect(detect(dtmfTones(KEYS, 8000, 20, 60))).toBe("");
  });

  test(
    "four minutes of talk by every voice contain no key (talk-off)",
    async () => {
      const voices = await createVoices();
      let seconds = 0;
      let keys = "";
      for (const voice of TALKERS) {
        for (const sentence of TALK) {
          const pcm = await voices.speak(voice, sentence);
          seconds += pcm.length / 8000;
          keys += detect(pcm);
        }
      }
      expect(seconds).toBeGreaterThan(240);
      expect(keys).toBe("");
    },
    spoken(60_000),
  );
});

const TALKERS = ["m1", "m3", "f1", "f3", "Nathan", "Emma", "Sari", "Adrian"];
const TALK = [
  "Good afternoon, this is the dental clinic. How may I help you today?",
  "A consultation costs forty euros and takes about half an hour.",
  "Please tell me your name, your number and the reason for your call.",
  "I would like to move my appointment from Tuesday to Thursday at eleven o'clock.",
  "Peter Piper picked a peck of pickled peppers; she sells sea shells on the sea shore.",
  "Oh, eee, ooo, aah, hmm, well, yes, no, maybe.",
  "One two three four five six seven eight nine ten eleven twelve.",
  "Why do you believe that the whole world revolves around you?",
  "A yellow moon over the blue evening, soon in June, is lovely communication.",
];

describe("presses reported by several sources", () => {
  test("an event and its INFO are one press, in either order", () => {
    const merge = new DigitMerge();
    expect(merge.accept("5", "event", 0)).toBe(true);
    expect(merge.accept("5", "info", 120)).toBe(false);
    expect(merge.accept("6", "info", 500)).toBe(true);
    expect(merge.accept("6", "event", 510)).toBe(false);
  });

  test("a key pressed twice quickly is two presses, reported by both sources", () => {
    const merge = new DigitMerge();
    const told = [
      merge.accept("1", "event", 0),
      merge.accept("1", "event", 200),
      merge.accept("1", "info", 260),
      merge.accept("1", "info", 400),
    ];
    expect(told).toEqual([true, true, false, false]);
  });

  test("the same key by INFO long after the event is another press", () => {
    const merge = new DigitMerge();
    expect(merge.accept("1", "event", 0)).toBe(true);
    expect(merge.accept("1", "info", 2000)).toBe(true);
  });

  test("a single source counts every press", () => {
    const merge = new DigitMerge();
    const keys = [..."0049301"].map((key, index) => merge.accept(key, "info", index * 100));
    expect(keys.every(Boolean)).toBe(true);
  });

  test("more keys than a person can press are ignored: a dialler's count, a flood's do not", () => {
    const counted = (presses: number, everyMs: number, fromMs = 0) => {
      const merge = new DigitMerge();
      const keys = Array.from({ length: presses }, (_, index) =>
        merge.accept(KEYS[index % KEYS.length] ?? "", "event", fromMs + index * everyMs),
      );
      return keys.filter(Boolean).length;
    };
    // 50 ms on, 50 ms off, for a minute; and 32 after a pause of the network.
    expect(counted(600, 100, 5_000)).toBe(600);
    expect(counted(32, 0)).toBe(32);
    expect(counted(50_000, 0.2)).toBeLessThanOrEqual(150);
  });
});
