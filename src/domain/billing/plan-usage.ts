/** Calendar months of a tenant's zone: plan seconds are counted in them and don't roll over. */

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
  });
  formatters.set(timeZone, made); // as many as there are zones
  return made;
}

/** No zone's month begins within a quarter of an hour: what was worked out for one holds in it. */
const QUARTER_MS = 900_000;
const latest = new Map<string, { readonly quarter: number; readonly month: string }>();

/** `2026-11`: the month it is in an IANA zone. Throws RangeError for an unknown zone. */
export function monthIn(timeZone: string, epochMs: number): string {
  const quarter = Math.floor(epochMs / QUARTER_MS);
  const known = latest.get(timeZone);
  if (known?.quarter === quarter) return known.month;
  const parts = formatterOf(timeZone).formatToParts(epochMs);
  const part = (type: "year" | "month") => parts.find((found) => found.type === type)?.value ?? "";
  const month = `${part("year")}-${part("month")}`;
  latest.set(timeZone, { quarter, month });
  return month;
}
