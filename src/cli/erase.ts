/** `linevoice erase`: erases a person's data (GDPR) by telephone number. */
import type { ErasureReport } from "../features/privacy/erase-person.ts";
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
    "Without --yes, this is a dry run. Recordings, transcripts, summaries, events, emails",
    "and pending calls are deleted; call records remain, without the number, for statistics. Existing backups keep",
    "this data until they expire. Do-not-call requests stay in force: only a keyed",
    "fingerprint of the number is kept for that.",
  ],
);

function inWords({ dry_run, ...counts }: ErasureReport): string[] {
  const what = Object.entries(counts).map(
    ([name, count]) => `  ${String(count).padStart(6)} ${name.replaceAll("_", " ")}`,
  );
  const last = dry_run
    ? "Dry run, nothing erased. Add --yes to erase."
    : "Existing backups keep this data until they are deleted (linevoice backup list).";
  return [dry_run ? "Would be erased:" : "Erased:", ...what, last];
}
