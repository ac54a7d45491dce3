/** Sites of several companies are read at once, one per company. */
import { expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { SiteReader, type SiteRecord, type Sites } from "../../../src/features/knowledge/sites.ts";
import { eventually } from "../../support/eventually.ts";

interface Due {
  readonly tenantId: number;
  readonly site: SiteRecord;
}

const siteOf = (tenantId: number, host: string): Due => ({
  tenantId,
  site: {
    id: 1,
    url: `https://${host}/`,
    depthMax: 0,
    pagesMax: 5,
    everyHours: 0,
    fileIds: [],
    pages: [],
    problems: null,
    readAt: null,
    dueAt: 0,
    readingUntil: 1,
    agentId: null,
  },
});

/** Hosts that begin with "slow" answer when the test releases them. */
function world(due: Due[]) {
  const asked: string[] = [];
  const read: string[] = [];
  const slow = Promise.withResolvers<void>();
  const sites = {
    wake: () => {},
    store: async (_tenantId: number, { url }: SiteRecord) => void read.push(new URL(url).host),
  } as unknown as Sites;
  const reader = new SiteReader({
    sites,
    clock: systemClock,
    log: silentLog,
    database: { read: null, tx: (work: (queries: null) => unknown) => work(null) },
    records: () => ({
      claimDue: async (_now: number, _until: number, turnOf: (id: number) => number | null) => {
        const at = due.findIndex(({ tenantId }) => turnOf(tenantId) !== null);
        return at < 0 ? undefined : due.splice(at, 1)[0];
      },
    }),
    fetch: async (url: string) => {
      const { host } = new URL(url);
      asked.push(host);
      if (host.startsWith("slow")) await slow.promise;
      return { status: 200, headers: {}, body: Buffer.from("<p>Text</p>") };
    },
    reader: {
      read: async () => ({
        title: "",
        markdown: "Text",
        footer: "",
        links: [],
        base: null,
        listed: true,
        follows: true,
      }),
    },
  } as unknown as ConstructorParameters<typeof SiteReader>[0]);
  return { reader, asked, read, release: slow.resolve };
}

test("a site that does not answer delays no other company", async () => {
  const due = [
    siteOf(1, "slow.one"),
    siteOf(1, "second.one"),
    siteOf(2, "two"),
    siteOf(3, "three"),
  ];
  const { reader, asked, read, release } = world(due);
  reader.start();
  await eventually(() => read.length === 2, "the others' sites are read");
  expect(read.toSorted()).toEqual(["three", "two"]);
  expect(asked).not.toContain("second.one");
  release();
  await reader.idle();
  expect(read.slice(2)).toEqual(["slow.one", "second.one"]);
  await reader.stop();
});

test("eight sites are read at once, and the ninth follows when one has been read", async () => {
  const due = Array.from({ length: 9 }, (_, at) => siteOf(at + 1, `slow.shop${at}`));
  const { reader, asked, read, release } = world(due);
  reader.start();
  await eventually(() => asked.length === 8, "eight are asked");
  await Bun.sleep(20);
  expect(asked).toHaveLength(8);
  release();
  await reader.idle();
  expect(read).toHaveLength(9);
  await reader.stop();
});
