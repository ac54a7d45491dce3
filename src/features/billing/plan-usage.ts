/** Calendar months in a tenant's zone. Plan seconds belong to a month and do not roll over. */

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
  formatters.set(timeZone, made); // bounded by the number of zones
  return made;
}

/** In every zone a month begins at a full quarter of an hour, so a result is valid for the quarter. */
const QUARTER_MS = 900_000;
const latest = new Map<string, { readonly quarter: number; readonly month: string }>();

/** The month in an IANA zone, `2026-11`. Throws RangeError for an unknown zone. */
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
