/** How long each link lives, that it works once, and when it is deleted. */
import { expect, test } from "bun:test";
import { systemRandom } from "../../../src/core/random.ts";
import { createOneTimeLinks } from "../../../src/features/identity/one-time-links.ts";
import type { LinkKind } from "../../../src/features/identity/stores.ts";
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
      async use(id: number, atMs: number) {
        if (row.id !== id || row.usedAt !== null) return false;
        row = { ...row, usedAt: atMs };
        return true;
      },
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
  const use = (kind: LinkKind, token: string) =>
    links.use(store as unknown as Parameters<typeof links.use>[0], kind, token);
  return { clock, links, make, use, told, store };
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

const tokenOf = ({ url }: { url: string }) => url.split("=").at(-1) ?? "";
const GONE = { code: "not_found" };

test("a link is used once, for its purpose, until it expires", async () => {
  const { clock, links, make, use } = world();
  const token = tokenOf(await make({ kind: "reset" }));
  for (const [kind, text] of [
    ["owner", token],
    ["reset", "no token"],
    ["reset", `${token.slice(1)}0`],
  ] as const)
    await expect(use(kind, text)).rejects.toMatchObject(GONE);
  await clock.advance(60 * MINUTE - 1);
  expect(await use("reset", token)).toMatchObject({ kind: "reset" });
  await expect(use("reset", token)).rejects.toMatchObject(GONE);
  expect(await links.peek("reset", token)).toBeNull();
  const late = tokenOf(await make({ kind: "reset" }));
  await clock.advance(60 * MINUTE);
  await expect(use("reset", late)).rejects.toMatchObject(GONE);
});

test("if two use a link at once, the store accepts one", async () => {
  const { make, use, store } = world();
  const token = tokenOf(await make({ kind: "sign_in" }));
  store.links.use = async () => false;
  await expect(use("sign_in", token)).rejects.toMatchObject(GONE);
});

test("another lifetime may be requested; a link is deleted a day after its expiry", async () => {
  const { clock, links, make, told } = world();
  expect((await make({ kind: "owner", lifeMs: 5 })).expiresAt).toBe(clock.now() + 5);
  await links.removeOld();
  expect(told).toEqual([clock.now() - DAY]);
});
