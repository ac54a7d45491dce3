/** Web sites in knowledge: read in the background, and read again when due, with the changes since. */
import { expect, test } from "bun:test";
import { createSiteReader } from "../../src/app/knowledge.ts";
import { OPERATOR } from "../../src/core/author.ts";
import { silentLog } from "../../src/core/log.ts";
import { siteStore } from "../../src/features/knowledge/site-store.ts";
import { SITES_MAX, Sites } from "../../src/features/knowledge/sites.ts";
import { type OutboundHttpClient, SafeHttpClient } from "../../src/platform/net/outbound-http.ts";
import { bytesOf, readDocumentHere } from "../support/documents.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { pickId } from "../support/http/api-server.ts";
import { newAgent, twoTenants } from "../support/http/two-tenants.ts";

const room = twoTenants();
const START = "https://clinic.example/";
const NEVER = { url: START, depthMax: 2, pagesMax: 50, everyHours: 0, agentId: null };

/** Serves these pages, which may change. */
function clientOf(pages: Map<string, string>): OutboundHttpClient {
  return {
    async request({ url }) {
      const page = pages.get(url);
      const headers = { "content-type": "text/html" };
      return { status: page ? 200 : 404, headers, body: Buffer.from(bytesOf(page ?? "")) };
    },
  };
}

function readerOf(client: OutboundHttpClient) {
  const { services, database } = room.server;
  const clock = fakeClock(Date.now() + 1_000);
  const sites = new Sites({
    database,
    records: siteStore,
    files: services.files,
    requireUrl() {},
    clock,
  });
  const reader = createSiteReader({
    sites,
    client,
    database,
    clock,
    log: silentLog,
    reader: { read: readDocumentHere },
  });
  return { reader, clock, sites };
}

const page = (title: string, text: string) =>
  `<title>${title}</title><h1>${title}</h1><p>${text}</p><a href="/prices">p</a><a href="/news">n</a>`;

test("a site becomes a file of its agent; the next reading shows new, changed and gone pages", async () => {
  const { services } = room.server;
  const agentId = pickId(await room.post("/agents", newAgent), "agent.id");
  const tenantId = room.own.id;
  const pages = new Map([
    [START, page("Clinic", "Open from nine.")],
    [`${START}prices`, page("Prices", "A check-up is 40 EUR.")],
  ]);
  const { reader, clock, sites } = readerOf(clientOf(pages));
  const { id } = await sites.add(tenantId, { ...NEVER, everyHours: 24, agentId });
  reader.start();
  await reader.idle();
  const [first] = await services.sites.list(tenantId);
  expect(first?.pages.map(({ title, change }) => [title, change])).toEqual([
    ["Clinic", "same"],
    ["Prices", "same"],
  ]);
  const [fileId = 0] = first?.fileIds ?? [];
  const file = await services.files.get(tenantId, fileId);
  expect([file.filename, file.agentIds]).toEqual(["clinic.example.md", [agentId]]);
  expect(file.content).toContain(
    "# Prices\n\nhttps://clinic.example/prices\n\n## Prices\n\nA check-up is 40 EUR.",
  );

  pages.set(START, page("Clinic", "Open from eight."));
  pages.delete(`${START}prices`);
  pages.set(`${START}news`, page("News", "We moved."));
  clock.stepWallClock(23 * 3_600_000);
  await clock.advance(60_000);
  await reader.idle();
  expect((await services.sites.list(tenantId))[0]?.readAt).toBe(first?.readAt ?? -1);
  clock.stepWallClock(3_600_000);
  await clock.advance(60_000);
  await reader.idle();
  const [again] = await services.sites.list(tenantId);
  expect(again?.pages.map(({ title, change }) => [title, change])).toEqual([
    ["Clinic", "changed"],
    ["News", "new"],
    ["Prices", "gone"],
  ]);
  expect(again?.fileIds).toEqual([fileId]);
  expect((await services.files.get(tenantId, fileId)).content).toContain("Open from eight.");
  await reader.stop();

  await services.sites.remove(tenantId, id, OPERATOR);
  expect((await services.files.list(tenantId)).some((one) => one.id === fileId)).toBeFalse();
});

test("an unreadable site keeps its files, shows the reason, and is tried again when it is due", async () => {
  const { services } = room.server;
  const tenantId = room.other.id;
  const pages = new Map([[START, page("Clinic", "Open from nine.")]]);
  const { reader, sites } = readerOf(clientOf(pages));
  const { id } = await sites.add(tenantId, NEVER);
  reader.start();
  await reader.idle();
  pages.clear();
  await sites.readAgain(tenantId, id);
  await reader.idle();
  const [site] = await services.sites.list(tenantId);
  expect(site?.problems).toEqual([
    {
      url: START,
      code: "unavailable",
      reason: "site_gone",
      params: { status: 404 },
      message: "There is no such page: the server answered 404.",
    },
  ]);
  expect([site?.fileIds.length, site?.dueAt, site?.readingUntil]).toEqual([1, null, null]);
  await reader.stop();
  await services.sites.remove(tenantId, id, OPERATOR);
});

test("a name that resolves into our network is not read", async () => {
  const { services } = room.server;
  const tenantId = room.other.id;
  const client = new SafeHttpClient({
    allowNetworks: [],
    resolve: (_, done) => done(null, [{ address: "10.0.0.7", family: 4 }]),
  });
  const { reader, sites } = readerOf(client);
  const { id } = await sites.add(tenantId, NEVER);
  reader.start();
  await reader.idle();
  const [site] = await services.sites.list(tenantId);
  expect(site?.problems).toEqual([
    expect.objectContaining({ url: `${START}robots.txt`, reason: "site_address" }),
  ]);
  await reader.stop();
  await services.sites.remove(tenantId, id, OPERATOR);
});

test("sites are limited, belong to their company, and are read by one reader at a time", async () => {
  const { services, database } = room.server;
  const add = () => services.sites.add(room.other.id, NEVER);
  for (let count = 0; count < SITES_MAX; count++) await add();
  expect(add()).rejects.toThrow("at most 20 websites");
  const [site] = await services.sites.list(room.other.id);
  expect(services.sites.readAgain(room.own.id, site?.id ?? 0)).rejects.toThrow("Site not found");
  expect(services.sites.add(room.own.id, { ...NEVER, agentId: 999_999 })).rejects.toThrow("Agent");
  for (const url of ["http://clinic.example/", "https://10.0.0.1/", "ftp://x/", "nothing"])
    expect(services.sites.add(room.own.id, { ...NEVER, url })).rejects.toThrow("cannot be used");
  const nowMs = Date.now() + 3_600_000;
  const claim = (at: number) =>
    database.tx((queries) => siteStore(queries).claimDue(at, at + 1_000, () => 0));
  const claims = [];
  for (let count = 0; count < SITES_MAX; count++) claims.push((await claim(nowMs))?.site.id);
  expect(new Set(claims).size).toBe(SITES_MAX);
  expect(await claim(nowMs + 999)).toBeUndefined();
  expect(await claim(nowMs + 1_000)).toBeDefined();
});

test.each(["as it is", "made anew each time"])(
  "an unreadable site that comes due again at once does not delay other companies' sites, %s",
  async (how) => {
    const { services } = room.server;
    const { own, other } = room;
    for (const { id: tenantId } of [own, other])
      for (const { id } of await services.sites.list(tenantId))
        await services.sites.remove(tenantId, id, OPERATOR);
    const greedy = { ...NEVER, url: "https://greedy.example/", depthMax: 0 };
    const asked: string[] = [];
    const { reader, sites } = readerOf({
      async request({ url }) {
        asked.push(new URL(url).hostname);
        if (url === greedy.url && asked.length < 8) {
          const [site] = await sites.list(other.id);
          if (how === "as it is") await sites.readAgain(other.id, site?.id ?? 0);
          else {
            await sites.remove(other.id, site?.id ?? 0, OPERATOR);
            await sites.add(other.id, greedy);
          }
        }
        return { status: 404, headers: {}, body: Buffer.alloc(0) };
      },
    });
    for (let count = 0; count < 3; count++) await sites.add(other.id, greedy);
    await sites.add(own.id, { ...NEVER, depthMax: 0 });
    reader.start();
    await reader.idle();
    await reader.stop();
    expect(asked.slice(0, 2)).toEqual(["greedy.example", "clinic.example"]);
    expect(asked.length).toBeGreaterThan(4);
  },
);
