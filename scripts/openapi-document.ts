/**
 * Writes docs/openapi.json, the document of REST v1 for reviewers (`npm run docs`). Rejects a
 * change that breaks clients of the previous document, unless `--allow-breaking` is given.
 */

import { allContracts } from "../src/app/server/contracts.ts";
import { openApiDocument } from "../src/http/openapi.ts";
import { breakingChanges } from "./openapi-breaking.ts";

export const DOCUMENT_FILE = new URL("../docs/openapi.json", import.meta.url).pathname;
const COLUMNS = 110;

/** Puts values on one line if they fit, so that a changed field is one changed line in a diff. */
function laidOut(value: unknown, indent = ""): string {
  const short = JSON.stringify(value);
  if (indent.length + short.length <= COLUMNS || typeof value !== "object" || value === null)
    return short;
  const inner = `${indent} `;
  const lines = Array.isArray(value)
    ? value.map((item) => inner + laidOut(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${laidOut(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** Removes the error examples, which are only in the served document. The error codes stay. */
const withoutErrorExamples = (document: object): object =>
  JSON.parse(JSON.stringify(document), (key, value) =>
    /^[45]\d\d$/.test(key) ? { description: value.description } : value,
  );

/** Without a version, so that a release does not change the document. */
export const reviewDocument = () => withoutErrorExamples(openApiDocument(allContracts(), "x.y.z"));

export const reviewText = () => `${laidOut(reviewDocument())}\n`;

if (import.meta.main) {
  const file = Bun.file(DOCUMENT_FILE);
  const breaking = (await file.exists())
    ? breakingChanges(await file.json(), reviewDocument())
    : [];
  if (breaking.length > 0 && !process.argv.includes("--allow-breaking")) {
    console.error(`docs/openapi.json stays as it is: ${breaking.length} changes break clients:`);
    for (const change of breaking) console.error(`  ${change}`);
    console.error("If they are meant: npm run docs -- --allow-breaking");
    process.exit(1);
  }
  await Bun.write(DOCUMENT_FILE, reviewText());
  console.error("wrote docs/openapi.json");
}
