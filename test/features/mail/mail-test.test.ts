/** The operator's result of a test mail. */
import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { createMailTest } from "../../../src/features/mail/mail-test.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const FROM = "Linevoice <calls@example.com>";

test("a refusal shows 500 characters of the provider's text", async () => {
  const words = "550 not here ".repeat(60);
  const mailTest = createMailTest({
    from: FROM,
    clock: fakeClock(),
    random: seededRandom(1),
    provider: {
      name: "smtp",
      answerMsMax: 1_000,
      send: () => Promise.reject(new Error(words)),
      close: async () => {},
    },
  });
  const { sent, provider, error } = await mailTest("me@example.com");
  expect({ sent, provider }).toEqual({ sent: false, provider: "smtp" });
  expect(error).toHaveLength(500);
  expect(error).toContain("550 not here");
});

test("a provider has thirty seconds", async () => {
  const clock = fakeClock();
  await clock.advance(5_000);
  const mailTest = createMailTest({
    from: FROM,
    clock,
    random: seededRandom(1),
    provider: {
      name: "smtp",
      answerMsMax: 1_000,
      send: () => new Promise<void>(() => {}),
      close: async () => {},
    },
  });
  let told: { sent: boolean; error: string | null; durationMs: number } | null = null;
  void mailTest("me@example.com").then((outcome) => {
    told = outcome;
  });
  await Bun.sleep(0);
  await clock.advance(29_999);
  expect(told).toBeNull();
  await clock.advance(1);
  await Bun.sleep(0);
  expect(told as object | null).toMatchObject({
    sent: false,
    durationMs: 30_000,
    error: expect.stringContaining("within 30 s"),
  });
});
