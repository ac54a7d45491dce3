/** A campaign's numbers as CSV: a column "number", every other column a variable for the agent's words. */
import { parse } from "csv-parse/sync";
import { isE164 } from "../core/e164.ts";
import { invalidField } from "../core/errors.ts";
import { type Country, e164Candidates } from "../number/national-form.ts";
import type { Target } from "./campaigns.ts";

export const TARGETS_MAX = 20_000;
const VARIABLES_MAX = 20;
const VALUE_MAX = 300;

export interface ReadTargets {
  readonly targets: readonly Target[];
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/** A number that stands twice is called once. Throws valid_csv_required. */
export function readTargetsCsv(csv: string, country: Country | null): ReadTargets {
  const firstLine = csv.slice(0, csv.search(/\r?\n|$/));
  const delimiter = firstLine.split(";").length > firstLine.split(",").length ? ";" : ",";
  let rows: { record: string[]; info: { lines: number } }[];
  try {
    rows = parse(csv, {
      ...{ delimiter, bom: true, info: true, trim: true, skip_empty_lines: true },
      ...{ relax_column_count: true, max_record_size: 16_384, to: TARGETS_MAX + 2 },
    }) as unknown as typeof rows;
  } catch (error) {
    throw invalidField("csv", `\`csv\` cannot be read: ${(error as Error).message}`);
  }
  const header = (rows[0]?.record ?? []).map((heading) =>
    heading.toLowerCase().replace(/\W+/g, "_"),
  );
  const numberAt = header.findIndex((name) =>
    ["number", "phone", "number_e164", "to"].includes(name),
  );
  if (numberAt < 0) throw invalidField("csv", '`csv` needs a header row with a column "number".');
  if (header.length > VARIABLES_MAX + 1)
    throw invalidField("csv", `\`csv\` may have ${VARIABLES_MAX} columns beside the number.`);
  if (rows.length > TARGETS_MAX + 1)
    throw invalidField("csv", `\`csv\` may have ${TARGETS_MAX} numbers; divide the list.`);
  if (rows.length < 2) throw invalidField("csv", "`csv` has no number below its header.");

  const targets = new Map<string, Target>();
  const problems: { line: number; problem: string }[] = [];
  for (const { record, info } of rows.slice(1)) {
    const written = record[numberAt] ?? "";
    const compact = written.replace(/[\s().-]/g, "");
    const number = isE164(compact) ? compact : e164Candidates(compact, country)[0];
    if (number === undefined) {
      problems.push({ line: info.lines, problem: `"${written}" is no telephone number.` });
      continue;
    }
    const variables = Object.fromEntries(
      header.flatMap((name, index) =>
        index === numberAt || name === ""
          ? []
          : [[name, (record[index] ?? "").slice(0, VALUE_MAX)]],
      ),
    );
    if (!targets.has(number)) targets.set(number, { numberE164: number, variables });
  }
  return { targets: [...targets.values()], problems };
}
