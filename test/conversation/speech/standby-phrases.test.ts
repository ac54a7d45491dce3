/** Phrases for later in a call are synthesised after its first words, when other calls had their turn. */
import { expect, test } from "bun:test";
import { AGENT, scriptedCall } from "../../support/media/scripted-call.ts";

const { firstMessage } = AGENT;

test("the first words alone are synthesised at once, all else a second later", async () => {
  const { session, clock, spoken } = await scriptedCall();
  await session.prepare();
  await clock.advance(999);
  expect(spoken).toEqual([firstMessage]);
  await clock.advance(1);
  await session.close("agent_hangup");
  expect(spoken.length).toBeGreaterThan(1);
});

test("if the call has ended by then, nothing more is synthesised", async () => {
  const { session, clock, spoken } = await scriptedCall();
  await session.prepare();
  await session.close("agent_hangup");
  await clock.advance(5_000);
  expect(spoken).toEqual([firstMessage]);
});
