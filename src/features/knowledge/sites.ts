/**
 * Web sites as knowledge. A site's pages are stored in Markdown files, which every crawl rewrites. The change
 * of each page since the previous crawl (new, changed, gone) is stored and shown.
 *
 *   waiting ──due, or requested──► being read ──► waiting (read, or with its problem)
 */
import { createHash } from "node:crypto";
import { type Author, OPERATOR } from "../../core/author.ts";
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, describeError, notFound } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { WorkLoop } from "../../core/work-loop.ts";
import type { DocumentReader } from "./documents.ts";
import { FILE_BYTES_MAX, type Files } from "./files.ts";
import { partName } from "./imports.ts";
import {
  type FetchPage,
  readSite,
  SiteNotRead,
  type SitePage,
  type SiteReading,
} from "./site-crawl.ts";
import { type SiteProblem, siteProblem } from "./site-problems.ts";
import { splitMarkdown } from "./split-markdown.ts";

export const SITES_MAX = 20;
const LOOK_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A crawl is considered dead after this time, for example if its node died. */
const READING_MS_MAX = 30 * 60_000;
const TITLE_CHARACTERS_MAX = 150;
const READ_AT_ONCE = 8;

type PageChange = "same" | "new" | "changed" | "gone";

/** A page as of the last crawl. */
export interface StoredPage {
  readonly url: string;
  readonly title: string;
  readonly sha256: string;
  readonly change: PageChange;
}

interface SiteSettings {
  readonly url: string;
  readonly depthMax: number;
  readonly pagesMax: number;
  /** Hours between crawls; 0: only on request. */
  readonly everyHours: number;
}

export interface SiteRecord extends SiteSettings {
  readonly id: number;
  readonly fileIds: readonly number[];
  readonly pages: readonly StoredPage[];
  /** Problems of the last crawl; empty if it was complete; null if there was none. */
  readonly problems: readonly SiteProblem[] | null;
  readonly readAt: number | null;
  readonly dueAt: number | null;
  /** Deadline of the crawl in progress; null if none. */
  readonly readingUntil: number | null;
  readonly agentId: number | null;
}

type SiteChanges = Partial<Omit<SiteRecord, "id">>;

/** Implemented by store/knowledge/site-store.ts. */
export interface SiteRecords {
  list(tenantId: number): Promise<SiteRecord[]>;
  find(tenantId: number, id: number): Promise<SiteRecord | undefined>;
  insert(tenantId: number, site: Omit<SiteRecord, "id">): Promise<number>;
  update(tenantId: number, id: number, changes: SiteChanges): Promise<void>;
  remove(tenantId: number, id: number): Promise<boolean>;
  /**
   * Claims a due site of the tenant that waited longest. Null: that tenant must wait. Undefined: no site is
   * due.
   */
  claimDue(
    nowMs: number,
    untilMs: number,
    turnOf: (tenantId: number) => number | null,
  ): Promise<{ readonly tenantId: number; readonly site: SiteRecord } | undefined>;
}

interface SiteDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => SiteRecords;
  readonly files: Pick<Files, "createAll" | "get" | "list" | "update" | "remove" | "requireAgents">;
  /** Throws `valid_url_required` for a forbidden address. */
  readonly requireUrl: (url: string) => void;
  readonly clock: Clock;
}

export class Sites {
  /** Starts a check for due sites. Set only if this process reads sites. */
  wake: () => void = () => {};

  constructor(private readonly deps: SiteDependencies) {}

  list(tenantId: number): Promise<SiteRecord[]> {
    return this.deps.records(this.deps.database.read).list(tenantId);
  }

  /**
   * Adds a site; it is read at once in the background. Throws valid_url_required, plan_limit_reached, not_found
   * (agent).
   */
  async add(
    tenantId: number,
    site: SiteSettings & { readonly agentId: number | null },
  ): Promise<SiteRecord> {
    this.deps.requireUrl(site.url);
    const dueAt = this.deps.clock.now();
    const made = await this.deps.database.tx(async (queries) => {
      const store = this.deps.records(queries);
      if (site.agentId !== null)
        await this.deps.files.requireAgents(queries, tenantId, [site.agentId]);
      if ((await store.list(tenantId)).length >= SITES_MAX) throw tooManySites();
      const id = await store.insert(tenantId, {
        ...site,
        url: new URL(site.url).href,
        dueAt,
        fileIds: [],
        pages: [],
        problems: null,
        readAt: null,
        readingUntil: null,
      });
      return await store.find(tenantId, id);
    });
    if (!made) throw notFound("site");
    this.wake();
    return made;
  }

  /** Requests a crawl in the background. Throws not_found. */
  async readAgain(tenantId: number, id: number): Promise<void> {
    await this.deps.database.tx(async (queries) => {
      const store = this.deps.records(queries);
      if (!(await store.find(tenantId, id))) throw notFound("site");
      await store.update(tenantId, id, { dueAt: this.deps.clock.now() });
    });
    this.wake();
  }

  /** Removes the site with its files. Throws not_found. */
  async remove(tenantId: number, id: number, author: Author): Promise<void> {
    const { database, records } = this.deps;
    const site = await records(database.read).find(tenantId, id);
    if (!site) throw notFound("site");
    await database.tx((queries) => records(queries).remove(tenantId, id));
    await this.#removeFiles(tenantId, site.fileIds, author);
  }

  /**
   * Writes the pages into the site's files; `unread` pages keep their stored text.
   *
   * If the site was deleted or another node has read it meanwhile, nothing is written. Throws
   * plan_limit_reached without changes.
   */
  async store(
    tenantId: number,
    site: SiteRecord,
    { pages, problems = [], unread = [] }: Pick<SiteReading, "pages"> & Partial<SiteReading>,
  ): Promise<void> {
    const { clock, database, records } = this.deps;
    const isCurrent = (found: SiteRecord | undefined) =>
      found !== undefined && found.readingUntil === site.readingUntil;
    const before = await records(database.read).find(tenantId, site.id);
    if (!before || !isCurrent(before)) return;
    const sections: PageSection[] = [];
    for (const page of pages) {
      const { url, title, markdown } = page;
      sections.push({ url, title, sha256: sha256Of(markdown), text: sectionOf(page) });
      await yieldToEventLoop();
    }
    const room = Math.max(0, site.pagesMax - pages.length);
    sections.push(...(await this.#unchanged(tenantId, site, unread.slice(0, room))));
    const isSame =
      sections.length === site.pages.filter(({ change }) => change !== "gone").length &&
      sections.every(({ sha256 }, at) => site.pages[at]?.sha256 === sha256);
    const fileIds = isSame
      ? site.fileIds
      : await this.#write(tenantId, { ...site, agentId: before.agentId }, sections);
    const nowMs = clock.now();
    const stored = sections.map(({ url, title, sha256 }) => ({ url, title, sha256 }));
    const unused = await database.tx(async (queries) => {
      const store = records(queries);
      const found = await store.find(tenantId, site.id);
      // The node that read it meanwhile may use some of these files.
      if (!isCurrent(found)) return fileIds.filter((id) => !found?.fileIds.includes(id));
      await store.update(tenantId, site.id, {
        fileIds,
        problems,
        readAt: nowMs,
        readingUntil: null,
        pages: compared(site.pages, stored, site.readAt === null),
        dueAt: site.everyHours === 0 ? null : nowMs + site.everyHours * HOUR_MS,
      });
      return [];
    });
    await this.#removeFiles(tenantId, unused, OPERATOR);
  }

  /** Stored sections of these pages, from the site's files. */
  async #unchanged(
    tenantId: number,
    site: SiteRecord,
    urls: readonly string[],
  ): Promise<PageSection[]> {
    if (urls.length === 0) return [];
    const { files } = this.deps;
    const there = new Set((await files.list(tenantId)).map(({ id }) => id));
    const texts = new Map<string, string>();
    let url = "";
    for (const id of site.fileIds.filter((fileId) => there.has(fileId)))
      for (const text of (await files.get(tenantId, id)).content.split(/^(?=# )/m)) {
        const begins = SECTION_BEGIN.exec(text);
        url = begins?.[1] ?? url;
        // Each part of a long page repeats the page's heading.
        const more = begins ? text : text.replace(/^# .*\n+/, "");
        texts.set(url, `${texts.get(url) ?? ""}${more.trimEnd()}\n\n`);
      }
    return site.pages.flatMap(({ url, title, sha256 }) => {
      const text = urls.includes(url) ? texts.get(url) : undefined;
      return text === undefined ? [] : [{ url, title, sha256, text: text.trimEnd() }];
    });
  }

  async #removeFiles(tenantId: number, fileIds: readonly number[], author: Author): Promise<void> {
    const { files } = this.deps;
    if (fileIds.length === 0) return;
    const there = new Set((await files.list(tenantId)).map((file) => file.id));
    for (const fileId of fileIds)
      if (there.has(fileId)) await files.remove(tenantId, fileId, author);
  }

  async #write(
    tenantId: number,
    site: SiteRecord,
    sections: readonly PageSection[],
  ): Promise<number[]> {
    const { files } = this.deps;
    const whole = sections.map(({ text }) => text).join("\n\n");
    const texts = await splitMarkdown(whole, FILE_BYTES_MAX);
    const listed = await files.list(tenantId);
    const there = new Set(listed.map(({ id }) => id));
    const known = site.fileIds.filter((id) => there.has(id));
    const { hostname } = new URL(site.url);
    const agents = listed.find(({ id }) => id === known[0])?.agentIds;
    // Create first, since this may be refused. The old text is still complete then.
    const added = await files.createAll(
      tenantId,
      texts.slice(known.length).map((content, at) => ({
        filename: partName(`${hostname}.html`, known.length + at),
        content,
        agentId: site.agentId,
      })),
      OPERATOR,
    );
    try {
      for (const [at, id] of known.slice(0, texts.length).entries())
        await files.update(tenantId, id, { content: texts[at] }, OPERATOR);
      if (agents)
        for (const { id } of added)
          await files.update(tenantId, id, { agentIds: agents }, OPERATOR);
    } catch (error) {
      const unused = added.map(({ id }) => id);
      await this.#removeFiles(tenantId, unused, OPERATOR);
      throw error;
    }
    for (const id of known.slice(texts.length)) await files.remove(tenantId, id, OPERATOR);
    return [...known.slice(0, texts.length), ...added.map(({ id }) => id)];
  }
}

/** A page as a section of the site's files. */
interface PageSection extends Omit<StoredPage, "change"> {
  readonly text: string;
}

const SECTION_BEGIN = /^# .*\n\n(https?:\/\/\S+)(?:\n|$)/;

const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");

/** The headings of the page move one level below its title. */
function sectionOf({ url, title, markdown }: SitePage): string {
  const name = title.slice(0, TITLE_CHARACTERS_MAX) || new URL(url).pathname;
  const body = markdown.replace(/^(#{1,5})(?=\s)/gm, "#$1");
  return `# ${name}\n\n${url}\n\n${body}`;
}

/** The change of each page. The first crawl marks none as new. */
function compared(
  before: readonly StoredPage[],
  now: readonly Omit<StoredPage, "change">[],
  isFirst: boolean,
): StoredPage[] {
  const known = new Map(
    before.filter(({ change }) => change !== "gone").map((page) => [page.url, page]),
  );
  const changeOf = ({ url, sha256 }: Omit<StoredPage, "change">): PageChange => {
    const page = known.get(url);
    if (!page) return isFirst ? "same" : "new";
    return page.sha256 === sha256 ? "same" : "changed";
  };
  const urls = new Set(now.map(({ url }) => url));
  const gone = [...known.values()].filter(({ url }) => !urls.has(url));
  return [
    ...now.map((page) => ({ ...page, change: changeOf(page) })),
    ...gone.map((page) => ({ ...page, change: "gone" as const })),
  ];
}

const tooManySites = () =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `You can have at most ${SITES_MAX} websites. Delete one first.`,
  });

interface SiteReaderDependencies extends Pick<SiteDependencies, "database" | "records" | "clock"> {
  readonly sites: Sites;
  readonly fetch: FetchPage;
  readonly reader: DocumentReader;
  readonly log: Log;
}

/** Reads due sites: several at once, but one per tenant, so that a slow site does not delay other tenants. */
export class SiteReader {
  readonly #loop: WorkLoop;
  readonly #stopping = new AbortController();
  /** Sequence number of each tenant's last start. Cleared when no site is due. */
  readonly #turns = new Map<number, number>();
  #begun = 0;
  /** Crawls in progress, by tenant. */
  readonly #reading = new Map<number, Promise<void>>();

  constructor(private readonly deps: SiteReaderDependencies) {
    const { clock, log, sites } = deps;
    this.#loop = new WorkLoop({
      clock,
      log,
      failure: "knowledge.sites_not_read",
      everyMs: LOOK_EVERY_MS,
      round: () => this.#round(),
    });
    sites.wake = () => this.#loop.wake();
  }

  start(): void {
    this.#loop.start();
  }

  async idle(): Promise<void> {
    await this.#loop.idle();
    while (this.#reading.size > 0) {
      await Promise.all(this.#reading.values());
      await this.#loop.idle();
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await Promise.all(this.#reading.values());
  }

  async #round(): Promise<void> {
    const { database, records, clock } = this.deps;
    const turnOf = (tenantId: number) =>
      this.#reading.has(tenantId) ? null : (this.#turns.get(tenantId) ?? 0);
    while (this.#reading.size < READ_AT_ONCE) {
      const nowMs = clock.now();
      const claimed = await database.tx((queries) =>
        records(queries).claimDue(nowMs, nowMs + READING_MS_MAX, turnOf),
      );
      if (!claimed && this.#reading.size === 0) this.#turns.clear();
      if (!claimed || this.#stopping.signal.aborted) return;
      this.#begin(claimed.tenantId, claimed.site);
    }
  }

  /** Reads the site, then looks for the next one. */
  #begin(tenantId: number, site: SiteRecord): void {
    this.#turns.set(tenantId, ++this.#begun);
    const reading = this.#read(tenantId, site)
      .catch((error) => {
        const problem = describeError(error);
        this.deps.log.error("knowledge.sites_not_read", { error: problem });
      })
      .finally(() => {
        this.#reading.delete(tenantId);
        this.#loop.wake();
      });
    this.#reading.set(tenantId, reading);
  }

  async #read(tenantId: number, site: SiteRecord): Promise<void> {
    const { sites, fetch, reader, clock, log, database, records } = this.deps;
    try {
      const { signal } = this.#stopping;
      const known = site.pages.flatMap(({ url, change }) => (change === "gone" ? [] : [url]));
      const reading = await readSite(site.url, site, {
        tenantId,
        fetch,
        reader,
        clock,
        signal,
        known,
      });
      await sites.store(tenantId, site, reading);
    } catch (error) {
      const problem = error instanceof SiteNotRead ? error.problem : siteProblem(null, error);
      const { message } = problem;
      log.warn("knowledge.site_not_read", { tenant: tenantId, site: site.id, problem: message });
      const dueAt = clock.now() + Math.max(1, site.everyHours) * HOUR_MS;
      await database.tx(async (queries) => {
        const store = records(queries);
        const found = await store.find(tenantId, site.id);
        if (found?.readingUntil !== site.readingUntil) return;
        await store.update(tenantId, site.id, {
          problems: [problem],
          readingUntil: null,
          dueAt: this.#stopping.signal.aborted ? site.dueAt : site.everyHours === 0 ? null : dueAt,
        });
      });
    }
  }
}
