/**
 * A voice sample over HTTP, spoken by the real embedded engine: a WAV file, for members, with a rate limit, and no
 * call.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { errorOf } from "../support/http/reply.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.78");
const heard = (role: "viewer" | "member", query: string) =>
  room.as(role).ask("GET", `/voice-sample?${query}`);

test("a member hears each voice at most 20 times per minute; nothing is logged and no call is made", async () => {
  const first = await heard("member", "language=lt&voice=Emma");
  expect(first.status).toBe(200);
  expect(first.text).toStartWith("RIFF");
  // More than a second of speech.
  expect(first.text.length).toBeGreaterThan(20_000);
  expect((await heard("viewer", "language=lt&voice=Emma")).status).toBe(403);
  expect(errorOf(await heard("member", "language=lt&voice=Nobody"))).toBe("valid_voice_required");
  expect(errorOf(await heard("member", "language=xx&voice=Emma"))).toBe("valid_language_required");
  const again: number[] = [];
  for (let at = 2; at <= 21; at++)
    again.push((await heard("member", "language=lt&voice=Emma")).status);
  expect(again).toEqual([...Array(19).fill(200), 429]);
  const { text: calls } = await room.as("viewer").ask("GET", "/calls");
  expect(calls).toContain('"total":0');
  const { text: audit } = await room.as("owner").ask("GET", "/audit");
  expect(audit).not.toContain("voice");
});
