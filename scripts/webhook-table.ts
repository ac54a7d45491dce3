/** Writes the table of events in docs/webhooks.md from the event catalogue (`npm run docs`). */
import { EVENT_TYPES, EVENTS } from "../src/features/webhook/event-types.ts";

const FILE = new URL("../docs/webhooks.md", import.meta.url).pathname;
const PLACE = /(<!-- events: [^>]*-->\n)[\s\S]*?(<!-- \/events -->)/;

const rows = EVENT_TYPES.map((type) => {
  const { summary, since, data } = EVENTS[type];
  return `| \`${type}\` | ${summary} | \`${Object.keys(data.shape).join("`, `")}\` | ${since} |`;
});
const table = ["| event | when | data | since |", "|---|---|---|---|", ...rows, ""].join("\n");

/** The current page, and the page with the current catalogue. */
export async function webhookPage(): Promise<{ readonly is: string; readonly wanted: string }> {
  const is = await Bun.file(FILE).text();
  return { is, wanted: is.replace(PLACE, `$1${table}$2`) };
}

if (import.meta.main) {
  await Bun.write(FILE, (await webhookPage()).wanted);
  console.error("wrote the events of docs/webhooks.md");
}
