/**
 * Parses a campaign's numbers from CSV: a column "number"; every other column is a variable for the
 * agent's texts.
 */

import { invalidField } from "../../core/errors.ts";
import { createYielder } from "../../core/event-loop.ts";
import { CSV_LINES_MAX, readCsvFile } from "../contact/csv-file.ts";
import { type Country, numberIn } from "../number/national-form.ts";

const VARIABLES_MAX = 20;
const VALUE_MAX = 300;

interface ReadTargets {
  readonly targets: readonly Target[];
  /** Lines with a number of an earlier line. */
  readonly duplicates: number;
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/** Yields to the event loop. Duplicate numbers are called once. Throws valid_csv_required. */
export async function readTargetsCsv(csv: string, country: Country | null): Promise<ReadTargets> {
  const file = await readCsvFile(csv);
  const header = file.header.map((heading) => heading.toLowerCase().replace(/\W+/g, "_"));
  const numberAt = header.findIndex((name) =>
    ["number", "phone", "number_e164", "to"].includes(name),
  );
  if (numberAt < 0) throw invalidField("csv", '`csv` needs a header row with a column "number".');
  if (header.length > VARIABLES_MAX + 1)
    throw invalidField(
      "csv",
      `\`csv\` can have at most ${VARIABLES_MAX} columns besides the number.`,
    );
  if (file.lines.length > CSV_LINES_MAX)
    throw invalidField("csv", `\`csv\` can have at most ${CSV_LINES_MAX} numbers. Split the list.`);
  if (file.lines.length === 0) throw invalidField("csv", "`csv` has no number below its header.");

  const targets = new Map<string, Target>();
  const problems: { line: number; problem: string }[] = [];
  let duplicates = 0;
  const turn = createYielder();
  for (const { cells, line, problem } of file.lines) {
    await turn();
    if (problem !== undefined) {
      problems.push({ line, problem });
      continue;
    }
    const written = cells[numberAt] ?? "";
    const number = numberIn(written, country);
    if (number === undefined) {
      problems.push({ line, problem: `"${written}" is not a telephone number.` });
      continue;
    }
    const variables = Object.fromEntries(
      header.flatMap((name, index) =>
        index === numberAt || name === "" ? [] : [[name, (cells[index] ?? "").slice(0, VALUE_MAX)]],
      ),
    );
    if (targets.has(number)) duplicates++;
    else targets.set(number, { numberE164: number, variables });
  }
  return { targets: [...targets.values()], duplicates, problems };
}

export interface Target {
  readonly numberE164: string;
  /** Columns of the file, for `{{…}}` in the agent's texts. */
  readonly variables: Readonly<Record<string, string>>;
}
