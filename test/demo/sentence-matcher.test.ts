import { beforeAll, describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/core/random.ts";
import { findSentence } from "../../src/demo/hearing/sentence-matcher.ts";
import { AGENT_VOICE, DECOYS } from "../../src/demo/script.ts";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { decodeG711, encodeG711 } from "../../src/platform/audio/g711.ts";

let voices: Voices;
beforeAll(async () => {
  voices = await createVoices();
});

/** The sound after a telephone line: pauses, level, noise, A-law, an odd number of samples. */
function overTheLine(sentences: readonly Int16Array[], gain = 0.6): Int16Array {
  const random = seededRandom(7);
  const pause = new Int16Array(5037);
  const whole = Int16Array.from(
    [pause, ...sentences.flatMap((pcm) => [pcm, pause])].flatMap((pcm) => [...pcm]),
  );
  const noisy = whole.map((sample) => sample * gain + (random.float() - 0.5) * 60);
  const octets = new Uint8Array(noisy.length);
  encodeG711("PCMA", noisy, octets);
  const heard = new Int16Array(noisy.length);
  decodeG711("PCMA", octets, heard);
  return heard;
}

const agent = (text: string) => voices.speak(AGENT_VOICE, text);

describe("a sentence in a recording", () => {
  test("is found among others, for every sentence of the demo, and beats every decoy", async () => {
    for (const [index, sentence] of DECOYS.entries()) {
      const next = DECOYS[(index + 1) % DECOYS.length] ?? "";
      const recording = overTheLine([await agent(next), await agent(sentence)]);
      const others = DECOYS.filter((text) => text !== sentence && text !== next);
      const match = findSentence({
        sentence: await agent(sentence),
        decoys: await Promise.all(others.map(agent)),
        recording,
      });
      expect({ sentence, heard: match.isFound }).toEqual({ sentence, heard: true });
    }
  });

  test("is not found when something else was said", async () => {
    const recording = overTheLine([await agent("Teeth whitening costs two hundred euros.")]);
    for (const text of DECOYS.filter((decoy) => !decoy.includes("whitening"))) {
      const match = findSentence({ sentence: await agent(text), decoys: [], recording });
      expect({ text, heard: match.isFound }).toEqual({ text, heard: false });
    }
  });

  test("is not found backwards, in silence, in noise or in nothing", async () => {
    const sentence = await agent("Please bring your identity card and your insurance card.");
    const random = seededRandom(3);
    const noise = new Int16Array(40_000).map(() => (random.float() - 0.5) * 8000);
    const empty = new Int16Array(0);
    for (const recording of [sentence.slice().reverse(), new Int16Array(40_000), noise, empty])
      expect(findSentence({ sentence, decoys: [], recording }).isFound).toBe(false);
  });

  test("differs from a sentence with one other word", async () => {
    const said = "Your appointment is on Tuesday at ten in the morning.";
    const other = "Your appointment is on Friday at ten in the morning.";
    const recording = overTheLine([await agent(said)]);
    const [right, wrong] = [await agent(said), await agent(other)];
    const toRight = findSentence({ sentence: right, decoys: [wrong], recording });
    const toWrong = findSentence({ sentence: wrong, decoys: [right], recording });
    expect(toRight.score).toBeGreaterThan(toWrong.score);
    expect(toWrong.isFound).toBe(false);
  });

  test("says where it ended", async () => {
    const first = await agent("Our address is twelve Garden Street.");
    const second = await agent("No, you do not need a referral.");
    const recording = overTheLine([first, second]);
    const { endMs } = findSentence({ sentence: first, decoys: [second], recording });
    const expectedMs = (5037 + first.length) / 8;
    expect(Math.abs(endMs - expectedMs)).toBeLessThan(200);
  });
});
