/** Web sites imported as knowledge: their pages, changes since the import, and a new import. */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { authorOf, contract, route } from "../../http/contract.ts";
import { deletedReply, field, idIn, idOut, okReply, shown } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { isoOrNull } from "../../http/route-present.ts";
import type { SiteRecord } from "./sites.ts";

const CHANGES_SHOWN_MAX = 100;
const HOURS = [0, 24, 168] as const;

const count = (from: number, to: number, description: string, example: number) =>
  field(z.int().min(from).max(to), {
    description,
    example,
    must: `be a whole number from ${from} to ${to}`,
    reason: "range",
    params: { from, to },
  });

export const KnowledgeSite = z
  .strictObject({
    id: idOut("site"),
    url: shown(z.string(), "Start page.", "https://www.example.com/"),
    depth: shown(z.int(), "Maximum number of links from the start page.", 3),
    pages_max: shown(z.int(), "Maximum number of pages.", 200),
    every_hours: shown(z.int(), "Hours between imports. 0: import only on request.", 24),
    file_ids: z.array(shown(z.int(), "Id of a knowledge file with pages of the site.", 1)),
    pages: shown(z.int(), "Number of imported pages.", 42),
    reading: shown(z.boolean(), "Whether an import is pending or running.", false),
    problems: z.array(
      z
        .strictObject({
          url: shown(
            z.string().nullable(),
            "URL that could not be read. `null` for the whole site.",
            null,
          ),
          error: shown(z.string(), "Error code.", "unavailable"),
          reason: shown(
            z.string().nullable(),
            "Code of the message, for translation.",
            "site_gone",
          ),
          params: z.record(z.string(), z.union([z.string(), z.number()])),
          message: shown(z.string(), "Message in English.", "There is no such page."),
        })
        .meta({ id: "KnowledgeSiteProblem" }),
    ),
    read_at: shown(
      z.string().nullable(),
      "Time of the last import. `null` if there was none.",
      isoUtc(1_795_000_000_000),
    ),
    changes: z.array(
      z.strictObject({
        url: shown(z.string(), "URL of the page.", "https://www.example.com/prices"),
        title: shown(z.string(), "Title of the page.", "Prices"),
        change: shown(
          z.enum(["new", "changed", "gone"]),
          "Change since the previous import.",
          "changed",
        ),
      }),
    ),
  })
  .meta({ id: "KnowledgeSite" });

export const listSites = contract({
  operationId: "listKnowledgeSites",
  at: "GET /knowledge-sites",
  tag: "Knowledge files",
  summary: "List websites imported as knowledge",
  reply: okReply({ sites: z.array(KnowledgeSite) }),
});

export const addSite = contract({
  operationId: "addKnowledgeSite",
  at: "POST /knowledge-sites",
  tag: "Knowledge files",
  summary: "Import a website as knowledge",
  description:
    "Finds pages by links and in sitemap.xml, on the same host and in the same folder or below. The import runs in the background.",
  body: z
    .strictObject({
      url: field(z.string().min(1).max(2_048), {
        description: "Start page.",
        example: "https://www.example.com/",
        must: "be an https URL",
        reason: "url",
      }),
      depth: count(
        0,
        10,
        "Maximum number of links from the start page. 0: only the start page.",
        3,
      ).default(3),
      pages_max: count(1, 1_000, "Maximum number of pages.", 200).default(200),
      every_hours: field(z.union(HOURS.map((hours) => z.literal(hours))), {
        description: "Hours between imports. 0: import only on request.",
        example: 24,
        must: "be 0, 24 or 168",
      }).default(24),
      agent_id: idIn("agents").nullable().default(null),
    })
    .meta({ id: "NewKnowledgeSite" }),
  reply: okReply({ site: KnowledgeSite }),
  errors: ["plan_limit_reached"],
});

export const readSite = contract({
  operationId: "readKnowledgeSite",
  at: "POST /knowledge-sites/{id}/read",
  noun: "site",
  tag: "Knowledge files",
  summary: "Import a website again",
  reply: okReply({}),
});

export const deleteSite = contract({
  operationId: "deleteKnowledgeSite",
  at: "DELETE /knowledge-sites/{id}",
  noun: "site",
  tag: "Knowledge files",
  summary: "Delete a website and its files",
  reply: deletedReply(),
});

function present(site: SiteRecord, nowMs: number): z.input<typeof KnowledgeSite> {
  const there = site.pages.filter(({ change }) => change !== "gone");
  return {
    id: site.id,
    url: site.url,
    depth: site.depthMax,
    pages_max: site.pagesMax,
    every_hours: site.everyHours,
    file_ids: [...site.fileIds],
    pages: there.length,
    reading: (site.dueAt !== null && site.dueAt <= nowMs) || (site.readingUntil ?? 0) > nowMs,
    problems: (site.problems ?? []).map(({ code, ...problem }) => ({ ...problem, error: code })),
    read_at: isoOrNull(site.readAt),
    changes: site.pages
      .slice()
      .flatMap(({ url, title, change }) => (change === "same" ? [] : [{ url, title, change }]))
      .slice(0, CHANGES_SHOWN_MAX),
  };
}

export const siteRoutes = ({ dependencies }: ProductContext) => {
  const { services, clock } = dependencies;
  const { sites } = services;
  return [
    route(listSites)(async ({ tenantId }) => ({
      ok: true,
      sites: (await sites.list(tenantId)).map((site) => present(site, clock.now())),
    })),
    route(addSite)(async ({ tenantId, body }) => {
      const site = await sites.add(tenantId, {
        url: body.url,
        depthMax: body.depth,
        pagesMax: body.pages_max,
        everyHours: body.every_hours,
        agentId: body.agent_id,
      });
      return { ok: true, site: present(site, clock.now()) };
    }),
    route(readSite)(async ({ tenantId, params }) => {
      await sites.readAgain(tenantId, params.id);
      return { ok: true };
    }),
    route(deleteSite)(async ({ tenantId, params, ...request }) => {
      await sites.remove(tenantId, params.id, authorOf(request));
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
