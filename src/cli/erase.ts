/** `linevoice erase`: a person's request to be forgotten, by telephone number. */
import type { ErasureReport } from "../operations/privacy/erase-person.ts";
import { asks, singleCommand } from "./actions.ts";

export const eraseCommand = singleCommand(
  asks("person.erase", {
    usage: ["erase --tenant ID --number +370… [--yes] [--json]"],
    fields: ["tenant", "number"],
    others: { yes: { type: "boolean" } },
    input: ({ yes = false }) => ({ dry_run: !yes }),
    lines: inWords,
  }),
  [
    "Without --yes it only says what would go. Recordings, transcripts, summaries, events, mails",
    "and pending calls go; the call stays as a figure without a number. Backups made before keep",
    "what they have until they are dropped. Whoever asked not to be called is still not called: a",
    "fingerprint of the number stays for that.",
  ],
);

function inWords({ dry_run, ...counts }: ErasureReport): string[] {
  const what = Object.entries(counts).map(
    ([name, count]) => `  ${String(count).padStart(6)} ${name.replaceAll("_", " ")}`,
  );
  const last = dry_run
    ? "Nothing was erased. Give --yes to do it."
    : "Backups made before now keep it until they are dropped (linevoice backup list).";
  return [dry_run ? "Would be erased:" : "Erased:", ...what, last];
}
