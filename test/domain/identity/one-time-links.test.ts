/** How long each link lives, and when it is forgotten. */
import { expect, test } from "bun:test";
import { systemRandom } from "../../../src/core/random.ts";
import { createOneTimeLinks } from "../../../src/domain/identity/one-time-links.ts";
import type { LinkKind } from "../../../src/domain/identity/stores.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function world() {
  const clock = fakeClock();
  const told: number[] = [];
  let row: Record<string, unknown> = {};
  const store = {
    links: {
      async insert(link: Record<string, unknown>) {
        row = { ...link, id: 1, usedAt: null };
        return 1;
      },
      byToken: async (tokenHash: string) => (row.tokenHash === tokenHash ? row : null),
      removeExpired: async (beforeMs: number) => void told.push(beforeMs),
    },
  };
  const links = createOneTimeLinks({
    clock,
    random: systemRandom,
    publicUrl: () => "https://voice.example",
    stores: () => store,
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
  } as unknown as Parameters<typeof createOneTimeLinks>[0]);
  const make = (draft: { kind: LinkKind; lifeMs?: number }) =>
    links.make(store as unknown as Parameters<typeof links.make>[0], draft);
  return { clock, links, make, told };
}

test.each([
  ["owner", 30 * MINUTE],
  ["sign_in", 30 * MINUTE],
  ["reset", 60 * MINUTE],
  ["invitation", 7 * DAY],
] as const)("a link of the kind %s lives for %d ms", async (kind, lifeMs) => {
  const { clock, links, make } = world();
  const { url, expiresAt } = await make({ kind });
  expect(expiresAt).toBe(clock.now() + lifeMs);
  const token = url.split("=").at(-1) ?? "";
  await clock.advance(lifeMs - 1);
  expect(await links.peek(kind, token)).not.toBeNull();
  expect(await links.peek(kind === "reset" ? "owner" : "reset", token)).toBeNull();
  await clock.advance(1);
  expect(await links.peek(kind, token)).toBeNull();
});

test("another life may be asked for; what expired a day ago is forgotten", async () => {
  const { clock, links, make, told } = world();
  expect((await make({ kind: "owner", lifeMs: 5 })).expiresAt).toBe(clock.now() + 5);
  await links.removeOld();
  expect(told).toEqual([clock.now() - DAY]);
});
