/** `linevoice erase`: a person's request to be forgotten, by telephone number. */
import { isE164 } from "../core/e164.ts";
import type { ErasureReport } from "../operations/privacy/erase-person.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, WrongUsage } from "./usage.ts";

export const eraseCommand: Command = {
  usage: ["erase --tenant ID --number +370… [--yes] [--json]"],
  notes: [
    "Without --yes it only says what would go. Recordings, transcripts, summaries, events, mails",
    "and pending calls go; the call stays as a figure without a number. Backups made before keep",
    "what they have until they are dropped. Whoever asked not to be called is still not called: a",
    "fingerprint of the number stays for that.",
  ],
  async run(args, terminal) {
    const options = {
      tenant: { type: "string" },
      number: { type: "string" },
      yes: { type: "boolean", default: false },
    } as const;
    const { values } = parse(args, options, 0);
    const number = required(values.number, "--number");
    if (!isE164(number)) throw new WrongUsage("--number is in E.164, e.g. +37061234567.");
    const input = { tenant: idFrom(values.tenant, "--tenant"), number, dry_run: !values.yes };
    const report = await operate(configFor(values.config, terminal), "person.erase", input);
    if (values.json) terminal.out(JSON.stringify(report));
    else for (const line of inWords(report)) terminal.out(line);
    return 0;
  },
};

function inWords({ dry_run, ...counts }: ErasureReport): string[] {
  const what = Object.entries(counts).map(
    ([name, count]) => `  ${String(count).padStart(6)} ${name.replaceAll("_", " ")}`,
  );
  const last = dry_run
    ? "Nothing was erased. Give --yes to do it."
    : "Backups made before now keep it until they are dropped (linevoice backup list).";
  return [dry_run ? "Would be erased:" : "Erased:", ...what, last];
}
