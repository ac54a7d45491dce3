/** What the operator is told about a mail that was tried. */
import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { createMailTest } from "../../../src/domain/mail/mail-test.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const FROM = "Linevoice <calls@example.com>";

test("a refusal is told in the provider's words, 500 characters of them", async () => {
  const words = "550 not here ".repeat(60);
  const mailTest = createMailTest({
    ...{ from: FROM, clock: fakeClock(), random: seededRandom(1) },
    provider: {
      ...{ name: "smtp", answerMsMax: 1_000 },
      send: () => Promise.reject(new Error(words)),
      close: async () => {},
    },
  });
  const { sent, provider, error } = await mailTest("me@example.com");
  expect({ sent, provider }).toEqual({ sent: false, provider: "smtp" });
  expect(error).toHaveLength(500);
  expect(error).toContain("550 not here");
});
