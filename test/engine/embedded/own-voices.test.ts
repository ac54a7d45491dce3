/** The operator's own voices: Piper's files, from their check to the samples for a caller. */
import { afterAll, describe, expect, test } from "bun:test";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { systemClock } from "../../../src/core/clock.ts";
import { OwnVoices } from "../../../src/engine/embedded/own-voices/own-voices.ts";
import { phonemeIds, withPunctuation } from "../../../src/engine/embedded/own-voices/phonemes.ts";
import { PiperVoice } from "../../../src/engine/embedded/own-voices/piper-voice.ts";
import type { VoiceFiles } from "../../../src/engine/embedded/own-voices/voice-files.ts";
import { createSynthesiser } from "../../../src/engine/embedded/synthesiser.ts";
import { engineSettingsOf } from "../../../src/ops/config/engine-settings.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";
import { examineOwnVoices } from "../../../src/ops/doctor/voices-check.ts";
import { spawnVoices } from "../../../src/workers.ts";
import {
  description,
  LEVEL_PER_ID,
  PHONEME_IDS,
  SAMPLES_PER_ID,
  tinyVoice,
  writeVoice,
} from "../../support/speech/piper-files.ts";
import { tempDir } from "../../support/temp-dir.ts";

const folder = tempDir();
const whole = writeVoice(folder);
const LIMIT_MS = 60_000;
const DESCRIPTION_BYTES_MAX = 1024 * 1024;

describe("phonemes", () => {
  test("start, pads between all, and end are added, and an unknown character is left out", () => {
    expect(phonemeIds("ab€.", PHONEME_IDS)).toEqual([1, 0, 14, 0, 15, 0, 10, 0, 2]);
    expect(phonemeIds("", PHONEME_IDS)).toEqual([1, 0, 2]);
  });

  test("a composed letter is decomposed, as in the models' training", () => {
    expect(phonemeIds("ç", { c: [5], "\u0327": [6] })).toEqual([5, 6]);
  });

  test.each([
    [["ˈone", "two"], "One, two?", "ˈone, two?"],
    [["one", "two", "three"], "One (two) three.", "one, two, three."],
    [["one"], "One", "one."],
    [["one", "two"], "One… two!", "one. two!"],
    [["(en)one(lt)"], "One.", "one."],
  ])("%j of %j", (clauses, text, expected) => {
    expect(withPunctuation(clauses, text)).toBe(expected);
  });
});

describe("a voice's files", () => {
  const levelsOf = (pcm: Int16Array) =>
    Array.from({ length: pcm.length / SAMPLES_PER_ID }, (_, index) =>
      Math.round((pcm[index * SAMPLES_PER_ID] ?? 0) / 32_767 / LEVEL_PER_ID),
    );

  test("the model gets the ids, and the length for the speed", async () => {
    const voice = await PiperVoice.load(whole);
    expect(levelsOf(await voice.speak("ab.", 100))).toEqual([1, 0, 14, 0, 15, 0, 10, 0, 2]);
    expect(levelsOf(await voice.speak("ab.", 50))).toEqual([2, 0, 28, 0, 30, 0, 20, 0, 4]);
    expect(voice).toMatchObject({ sampleRateHz: 16_000, espeakVoice: "en-us" });
  });

  test("a model of several speakers uses the first", async () => {
    const about = description({ num_speakers: 2 });
    const file = writeVoice(folder, { model: tinyVoice({ speakers: 2 }), about });
    expect((await (await PiperVoice.load(file)).speak("a", 100)).length).toBe(5 * SAMPLES_PER_ID);
  });

  const reasonOf = (file: string) =>
    PiperVoice.load(file).then(
      () => "none",
      (error: Error) => error.message,
    );

  test("a description of 1 MiB is read, and one with a byte more is not", async () => {
    const json = JSON.stringify(description());
    const text = json + " ".repeat(DESCRIPTION_BYTES_MAX - Buffer.byteLength(json));
    expect(await reasonOf(writeVoice(folder, { about: text }))).toBe("none");
    expect(await reasonOf(writeVoice(folder, { about: `${text} ` }))).toContain("the maximum is 1");
  });

  test.each<[string, () => string, string]>([
    ["no file", () => `${folder}/none.onnx`, "cannot be read"],
    ["a folder", () => folder, "cannot be read"],
    ["no JSON", () => writeVoice(folder, { about: "{" }), "is not JSON"],
    [
      "other JSON",
      () => writeVoice(folder, { about: { a: 1 } }),
      "does not describe a Piper voice",
    ],
    [
      "a voice of letters instead of phonemes",
      () => writeVoice(folder, { about: description({ phoneme_type: "text" }) }),
      "phoneme_type",
    ],
    [
      "not an ONNX",
      () => writeVoice(folder, { model: Uint8Array.from(Buffer.from("hello")) }),
      "not an ONNX",
    ],
    ["an empty file", () => writeVoice(folder, { model: new Uint8Array() }), "not an ONNX"],
    [
      "a truncated model",
      () => writeVoice(folder, { model: tinyVoice().slice(0, 400) }),
      "or is incomplete",
    ],
    [
      "another model",
      () => writeVoice(folder, { about: description({ num_speakers: 2 }) }),
      "its inputs are input, input_lengths, scales",
    ],
  ])("%s gives an error that names the file", async (_, make, reason) => {
    const file = make();
    const said = await reasonOf(file);
    expect(said).toContain(reason);
    expect(said).toContain(file);
  });

  test("a file of 2 GB is refused without being read", async () => {
    const file = writeVoice(folder);
    truncateSync(file, 2 * 1024 ** 3);
    expect(await reasonOf(file)).toContain("has 2048 MB; the maximum is 512");
    rmSync(file);
  });
});

describe("in a call", () => {
  const failed: string[] = [];
  const voicesOf = async (files: VoiceFiles, spawn = spawnVoices) => {
    failed.length = 0;
    const onFailed = (_: string, detail: string) => failed.push(detail);
    const voices = new OwnVoices({ spawn, clock: systemClock, onFailed });
    await voices.load(files);
    return voices;
  };
  const order = { text: "Good morning.", sampleRateHz: 8000, language: "en" } as const;
  const opened: OwnVoices[] = [];
  afterAll(() => {
    for (const voices of opened) voices.close();
  });
  const sounds = async (files: VoiceFiles) => {
    const ownVoices = await voicesOf(files);
    opened.push(ownVoices);
    const [plain, own] = await Promise.all([createSynthesiser(), createSynthesiser({ ownVoices })]);
    return {
      ownVoices,
      embedded: (voice: string) => plain.speakAll({ ...order, voice }),
      spoken: (voice: string) => own.speakAll({ ...order, voice }),
    };
  };

  test(
    "a configured voice speaks with its file, others as before",
    async () => {
      const { embedded, spoken } = await sounds({ en: { Sari: whole }, lt: { Emma: whole } });
      expect(await spoken("Sari")).not.toEqual(await embedded("Sari"));
      expect(await spoken("Emma")).toEqual(await embedded("Emma"));
      expect(failed).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "a voice with a wrong file is replaced by eSpeak NG, and the reason is logged once",
    async () => {
      const bad = `${folder}/bad.onnx`;
      writeFileSync(bad, "no model");
      const files = { en: { Sari: bad, Adrian: bad, Nathan: whole } };
      const { embedded, spoken } = await sounds(files);
      expect(await spoken("Sari")).toEqual(await embedded("Sari"));
      expect(await spoken("Nathan")).not.toEqual(await embedded("Nathan"));
      expect(failed).toEqual([expect.stringContaining(`${bad}.json cannot be read`)]);
    },
    LIMIT_MS,
  );

  test(
    "after the death of the thread eSpeak NG speaks in calls",
    async () => {
      const threads: Worker[] = [];
      const spawn = () => {
        const thread = spawnVoices();
        threads.push(thread);
        return thread;
      };
      const ownVoices = await voicesOf({ en: { Sari: whole } }, spawn);
      const voice = ownVoices.find("en", "Sari");
      if (voice === null) throw new Error("not loaded");
      const waiting = ownVoices.speak(voice, "a.", 100);
      threads[0]?.dispatchEvent(new Event("close"));
      expect(await waiting).toBeNull();
      expect(ownVoices.find("en", "Sari")).toBeNull();
      expect(failed).toEqual([expect.stringContaining("its thread ended")]);
    },
    LIMIT_MS,
  );
});

describe("in the configuration", () => {
  const read = (voices: object) => configSchema.safeParse({ engine: { embedded: { voices } } });

  test("voices are named by language and name", () => {
    const { data } = read({ lt: { Sari: "/a/lt.onnx" } });
    expect(data && engineSettingsOf(data).voices?.lt).toEqual({ Sari: "/a/lt.onnx" });
  });

  test.each([
    ["another language", { de: { Sari: "/a/de.onnx" } }],
    ["another name", { lt: { Petras: "/a/lt.onnx" } }],
    ["a path that is not absolute", { lt: { Sari: "lt.onnx" } }],
    ["another kind of file", { lt: { Sari: "/a/lt.wav" } }],
  ])("%s is refused", (_, voices) => {
    expect(read(voices).success).toBe(false);
  });

  test(
    "the doctor reports which file is wrong and what to do",
    async () => {
      const find = (voices: object) => {
        const config = configSchema.parse({ engine: { embedded: { voices } } });
        return examineOwnVoices({ config, clock: systemClock });
      };
      expect(await find({})).toMatchObject({ result: "skipped" });
      expect(await find({ en: { Sari: whole } })).toMatchObject({ result: "ok" });
      const missing = `${folder}/missing.onnx`;
      expect(await find({ en: { Sari: whole }, lt: { Sari: missing } })).toMatchObject({
        result: "failed",
        finding: expect.stringContaining(`${missing}.json cannot be read`),
        remedy: expect.stringContaining("[engine.embedded.voices]"),
      });
    },
    LIMIT_MS,
  );
});
