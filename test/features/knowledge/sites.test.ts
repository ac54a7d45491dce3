/** The knowledge files and stored pages of a site, without a store. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { SiteReader, type SiteRecord, Sites } from "../../../src/features/knowledge/sites.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const HOUR_MS = 3_600_000;
const PAGE = { footer: "", base: null, sitemaps: [], listed: true, follows: true };
const FILE_BYTES_MAX = 512_000;

interface KeptFile {
  readonly id: number;
  readonly filename: string;
  readonly content: string;
  readonly agentIds: readonly number[];
}

/** `kept`: the stored record of the site. */
function world(kept: Partial<SiteRecord> = {}) {
  const clock = fakeClock();
  const files = new Map<number, KeptFile>();
  const written: number[] = [];
  let site = {
    id: 7,
    url: "https://shop.example/help/",
    depthMax: 0,
    pagesMax: 50,
    everyHours: 0,
    fileIds: [],
    pages: [],
    problems: null,
    readAt: null,
    dueAt: 0,
    readingUntil: null,
    agentId: 3,
    ...kept,
  } as SiteRecord;
  const claims: (readonly [number, number])[] = [];
  let due = 1;
  let isThere = true;
  const sites = new Sites({
    clock,
    requireUrl() {},
    database: { read: null, tx: (work: (queries: null) => Promise<unknown>) => work(null) },
    records: () => ({
      find: async () => (isThere ? site : undefined),
      update: async (_: number, __: number, changes: Partial<SiteRecord>) => {
        site = { ...site, ...changes };
      },
      claimDue: async (nowMs: number, untilMs: number) => {
        claims.push([nowMs, untilMs]);
        return due-- > 0 ? { tenantId: 1, site } : undefined;
      },
    }),
    files: {
      list: async () => [...files.values()],
      get: async (_: number, id: number) => files.get(id),
      createAll: async (
        _: number,
        made: readonly { filename: string; content: string; agentId: number | null }[],
      ) =>
        made.map(({ filename, content, agentId }) => {
          const agentIds = agentId === null ? [] : [agentId];
          const file = { id: 100 + files.size, filename, content, agentIds };
          files.set(file.id, file);
          return file;
        }),
      update: async (_: number, id: number, changes: Partial<KeptFile>) => {
        const before = files.get(id);
        if (!before) throw new Error(`no file ${id}`);
        written.push(id);
        files.set(id, { ...before, ...changes });
      },
      remove: async (_: number, id: number) => void files.delete(id),
    },
  } as unknown as ConstructorParameters<typeof Sites>[0]);
  const page = (path: string, markdown: string, title = path) => ({
    url: `https://shop.example/help/${path}`,
    title,
    markdown,
  });
  return {
    clock,
    sites,
    files,
    written,
    claims,
    page,
    site: () => site,
    /** A site reader whose site is due `times` times. */
    reader(times: number, fetch: (url: string) => Promise<unknown>) {
      due = times;
      return new SiteReader({
        sites,
        clock,
        log: silentLog,
        fetch,
        ...(sites as unknown as { deps: object }).deps,
        reader: {
          read: async () => ({ title: "Start", markdown: "M", links: ["a"], ...PAGE }),
        },
      } as unknown as ConstructorParameters<typeof SiteReader>[0]);
    },
    store: (...pages: readonly ReturnType<typeof page>[]) => sites.store(1, site, { pages }),
    vanish() {
      isThere = false;
    },
    /** Deletes the site's agent. */
    detach() {
      site = { ...site, agentId: null };
    },
    /** Another node takes the reading. */
    take(readingUntil: number) {
      site = { ...site, readingUntil };
    },
    changes: () => site.pages.map(({ title, change }) => `${title} ${change}`).join(", "),
    contents: () => site.fileIds.map((id) => files.get(id)?.content),
  };
}

test("the first reading reports no page as new; later ones report new, changed, same and gone pages", async () => {
  const { page, store, changes } = world();
  await store(page("a", "A"), page("b", "B"));
  expect(changes()).toBe("a same, b same");
  await store(page("a", "A"), page("b", "B2"), page("c", "C"));
  expect(changes()).toBe("a same, b changed, c new");
  await store(page("c", "C"));
  expect(changes()).toBe("c same, a gone, b gone");
  await store(page("c", "C"), page("a", "A"));
  expect(changes()).toBe("c same, a new");
});

test("files are written only if a page changed, appeared, disappeared or moved", async () => {
  const { page, store, written, site } = world();
  const [a, b, c] = [page("a", "A"), page("b", "B"), page("c", "C")];
  await store(a, b);
  const before = site().fileIds;
  for (const [pages, writes] of [
    [[a, b], 0],
    [[a, c], 1],
    [[a, c], 0],
    [[c, a], 1],
    [[c], 1],
    [[c], 0],
    [[c, b], 1],
  ] as const) {
    written.length = 0;
    await store(...pages);
    expect([written.length, site().fileIds]).toEqual([writes, before]);
  }
});

test("a page's heading is its title (at most 150 characters) or its path, above its own headings", async () => {
  const { page, store, contents } = world();
  await store(page("a", "# One\n##### Five\n###### Six", "t".repeat(151)), page("b", "B", ""));
  expect(contents()).toEqual([
    `# ${"t".repeat(150)}\n\nhttps://shop.example/help/a\n\n## One\n###### Five\n###### Six\n\n# /help/b\n\nhttps://shop.example/help/b\n\nB\n`,
  ]);
});

test("a growing or shrinking site has as many files as its text needs, with the agents of the first file", async () => {
  const { page, store, files, site } = world();
  const names = () => site().fileIds.map((id) => files.get(id)?.filename);
  await store(page("a", "A"));
  const [first = 0] = site().fileIds;
  files.set(first, { ...(files.get(first) as KeptFile), agentIds: [3, 4] });
  const long = (letter: string) => `${letter} `.repeat((FILE_BYTES_MAX * 0.9) / 2).trim();
  await store(page("a", long("a")), page("b", long("b")), page("c", long("c")));
  expect(names()).toEqual(["shop.example.md", "shop.example-2.md", "shop.example-3.md"]);
  expect([...files.values()].map(({ agentIds }) => agentIds)).toEqual([
    ...[
      [3, 4],
      [3, 4],
      [3, 4],
    ],
  ]);
  await store(page("a", long("a")), page("b", "B"));
  expect([site().fileIds[0], files.size, names().length]).toEqual([first, files.size, files.size]);
  expect(names()).toEqual(["shop.example.md", "shop.example-2.md"].slice(0, files.size));
  files.clear();
  await store(page("a", "A2"));
  expect(site().fileIds).toEqual([100]);
  expect(files.get(100)?.agentIds).toEqual([3]);
});

test("an unreadable page keeps its old text, and a page that no longer exists is removed", async () => {
  const { page, store, changes, contents, sites, site } = world();
  const [a, b, c] = [page("a", "A"), page("b", "# Prices\n\nB\n\n## More\n\nB2"), page("c", "C")];
  await store(a, b, c);
  const again = { pages: [page("a", "A2")], unread: [b.url] };
  await sites.store(1, site(), again);
  expect(changes()).toBe("a changed, b same, c gone");
  expect(contents().join()).toBe(
    "# a\n\nhttps://shop.example/help/a\n\nA2\n\n# b\n\nhttps://shop.example/help/b\n\n## Prices\n\nB\n\n### More\n\nB2\n",
  );
  await store(page("a", "A2"), b);
  expect(changes()).toBe("a same, b same");
});

test("a long page that is split across files keeps all of its text", async () => {
  const { page, store, contents, sites, site } = world();
  const words = Array.from({ length: 150_000 }, (_, n) => `word${n}`).join(" ");
  const long = page("b", `# Words\n\n${words}`);
  await store(page("a", "A"), long);
  expect(contents().length).toBeGreaterThan(2);
  await sites.store(1, site(), { pages: [page("a", "A2")], unread: [long.url] });
  expect(
    contents()
      .join("")
      .match(/word\d+/g),
  ).toHaveLength(150_000);
});

test("together with unchanged pages, a site has at most its maximum of pages", async () => {
  const { page, store, sites, site, changes } = world({ pagesMax: 2 });
  const [a, b] = [page("a", "A"), page("b", "B")];
  await store(a, b);
  const unread = [a.url, b.url];
  await sites.store(1, site(), { pages: [page("c", "C")], unread });
  expect(changes()).toBe("c new, a same, b gone");
});

test("a site deleted or taken by another node during its reading leaves no files", async () => {
  const { page, sites, site, files, vanish } = world();
  const pages = [page("a", "A")];
  await sites.store(1, { ...site(), readingUntil: 5 }, { pages });
  expect([files.size, site().readAt]).toEqual([0, null]);
  const { deps } = sites as unknown as {
    deps: { files: { createAll: (...all: unknown[]) => unknown } };
  };
  const { createAll } = deps.files;
  deps.files.createAll = async (...all) => {
    vanish();
    return await createAll(...all);
  };
  await sites.store(1, site(), { pages });
  expect(files.size).toBe(0);
});

test.each(["A", "A, anew"])(
  "files that another node now owns stay when an overtaken reading read %p",
  async (text) => {
    const { page, store, take, contents } = world();
    await store(page("a", "A"));
    const overtaken = store(page("a", text));
    // The reading has checked that it is current, and builds its sections.
    await Promise.resolve();
    await Promise.resolve();
    take(9);
    await overtaken;
    expect(contents()).toEqual([expect.stringContaining("# a")]);
  },
);

test("if the plan has no room for more files, the old text stays complete", async () => {
  const { page, store, sites, contents } = world();
  await store(page("a", "A"));
  const { deps } = sites as unknown as { deps: { files: { createAll: () => Promise<never> } } };
  deps.files.createAll = () => Promise.reject(new Error("full"));
  // Not `rejects`: it may wait for the next event of a socket before it goes on after a turn of the loop.
  const failed = await store(page("a", "a ".repeat(FILE_BYTES_MAX))).catch(String);
  expect(failed).toBe("Error: full");
  expect(contents()).toEqual(["# a\n\nhttps://shop.example/help/a\n\nA\n"]);
});

test("if the old files cannot grow, the new files are removed again", async () => {
  const { page, store, sites, site, files } = world();
  await store(page("a", "A"));
  const { deps } = sites as unknown as { deps: { files: { update: () => Promise<never> } } };
  deps.files.update = () => Promise.reject(new Error("full"));
  expect(await store(page("a", "a ".repeat(FILE_BYTES_MAX))).catch(String)).toBe("Error: full");
  expect([...files.keys()]).toEqual([...site().fileIds]);
});

test("a deleted agent gets no files from a site that was being read", async () => {
  const { page, sites, site, files, detach } = world();
  const reading = site();
  detach();
  await sites.store(1, reading, { pages: [page("a", "A")] });
  expect([...files.values()].map(({ agentIds }) => agentIds)).toEqual([[]]);
});

test.each([
  [0, null],
  [1, HOUR_MS],
  [24, 24 * HOUR_MS],
])("a site read every %d hours is due again %p ms after it was read", async (everyHours, after) => {
  const { clock, page, store, site } = world({ everyHours });
  await store(page("a", "A"));
  const due = after === null ? null : clock.now() + after;
  expect([site().readAt, site().dueAt, site().readingUntil]).toEqual([clock.now(), due, null]);
});

test.each([
  [0, null],
  [1, HOUR_MS],
  [24, 24 * HOUR_MS],
])("every %d hours: an unreadable site is retried %p ms later", async (everyHours, after) => {
  const { clock, reader, site } = world({ everyHours });
  const sites = reader(1, async () => ({ status: 500, headers: {}, body: new Uint8Array() }));
  sites.start();
  await sites.idle();
  expect(site().dueAt).toBe(after === null ? null : clock.now() + after);
  expect(site().problems).toMatchObject([{ url: site().url, reason: "site_fails" }]);
  await sites.stop();
});

const home = async () => ({ status: 200, headers: {}, body: new Uint8Array() });

test.each([
  ["the disk is full", new Error("the disk is full")],
  [
    "Your plan has 10 files.",
    new AppError({
      code: "plan_limit_reached",
      publicMessage: "Your plan has 10 files.",
      internal: "tenant 1 has 10 of 10",
    }),
  ],
])("the reason why a site's pages cannot be stored is reported: %s", async (told, error) => {
  const { reader, sites: kept, site } = world();
  const { files } = (kept as unknown as { deps: { files: object } }).deps;
  Object.assign(files, { createAll: () => Promise.reject(error) });
  const sites = reader(1, home);
  sites.start();
  await sites.idle();
  expect(site().problems).toMatchObject([{ url: null, message: told }]);
  await sites.stop();
});

test("due sites are looked up every minute, and each reading is reserved for 30 minutes", async () => {
  const { clock, reader, claims } = world();
  const sites = reader(0, home);
  const startedAt = clock.now();
  sites.start();
  await sites.idle();
  await clock.advance(59_999);
  expect(claims).toEqual([[startedAt, startedAt + 30 * 60_000]]);
  await clock.advance(1);
  expect(claims).toHaveLength(2);
  await sites.stop();
});

test("a completely read site has no problem; a partly read one reports how much was read", async () => {
  const whole = world();
  const wholly = whole.reader(1, home);
  wholly.start();
  await wholly.idle();
  expect(whole.site().problems).toEqual([]);
  const part = world({ pagesMax: 1, depthMax: 1 });
  const partly = part.reader(1, home);
  partly.start();
  await partly.idle();
  expect(part.site().problems).toMatchObject([
    { url: null, reason: "site_cut", params: { pages: 1 } },
  ]);
  await Promise.all([wholly.stop(), partly.stop()]);
});

test("a stopping appliance starts no further site, and the interrupted one stays due", async () => {
  const { clock, reader, claims, site } = world({ everyHours: 24, depthMax: 1, dueAt: 5 });
  let stopped: Promise<void> | undefined;
  const sites = reader(3, async () => {
    stopped ??= sites.stop();
    throw new Error("cut off");
  });
  sites.start();
  await sites.idle();
  await stopped;
  expect(claims.length).toBeLessThanOrEqual(2);
  expect([site().dueAt, site().readingUntil]).toEqual([5, null]);
  expect(clock.now()).toBeGreaterThan(5);
});
