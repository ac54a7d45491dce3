/**
 * Addresses in a sitemap (sitemaps.org): of pages and of further sitemaps. From damaged XML, the
 * addresses before the damage.
 */
import { Parser } from "htmlparser2";
import { ADDRESS_CHARACTERS_MAX } from "../documents.ts";

interface Sitemap {
  readonly links: readonly string[];
  readonly sitemaps: readonly string[];
}

const LINKS_MAX = 20_000;
const SITEMAPS_MAX = 100;

export function readSitemap(xml: string): Sitemap {
  const found = { url: [] as string[], sitemap: [] as string[] };
  let inside: "url" | "sitemap" | null = null;
  let address: string | null = null;
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === "url" || name === "sitemap") inside = name;
        address = name === "loc" && inside !== null ? "" : null;
      },
      ontext(text) {
        if (address !== null && address.length <= ADDRESS_CHARACTERS_MAX) address += text;
      },
      onclosetag(name, isCut) {
        const said = isCut ? "" : (address?.trim() ?? "");
        if (
          name === "loc" &&
          inside !== null &&
          said !== "" &&
          said.length <= ADDRESS_CHARACTERS_MAX
        )
          if (found[inside].length < (inside === "url" ? LINKS_MAX : SITEMAPS_MAX))
            found[inside].push(said);
        address = null;
        if (name === inside) inside = null;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return { links: found.url, sitemaps: found.sitemap };
}
