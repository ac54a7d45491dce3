/** Runs the code of GET /webhooks/snippet like a receiver: in its language, with a body file. */
import { join } from "node:path";

/** Programs that exit 0 if the snippet in `file` accepts argv: body file, header, secret. */
export const SNIPPET_RUNNERS = {
  javascript: {
    program: "node",
    file: "verify.mjs",
    tail: `
import { readFileSync } from "node:fs";
const [, , body, header, secret] = process.argv;
process.exit(verifyLinevoiceSignature(readFileSync(body), header, secret) ? 0 : 1);`,
  },
  python: {
    program: "python3",
    file: "verify.py",
    tail: `
import sys
_, body, header, secret = sys.argv
with open(body, "rb") as file:
    sys.exit(0 if verify_linevoice_signature(file.read(), header, secret) else 1)`,
  },
  php: {
    program: "php",
    file: "verify.php",
    tail: `
[, $body, $header, $secret] = $argv;
exit(verify_linevoice_signature(file_get_contents($body), $header, $secret) ? 0 : 1);`,
  },
  curl: {
    program: "bash",
    file: "verify.sh",
    tail: `
verify_linevoice_signature "$1" "$2" "$3"`,
  },
} as const;

export type SnippetLanguage = keyof typeof SNIPPET_RUNNERS;
export const SNIPPET_LANGUAGES = Object.keys(SNIPPET_RUNNERS) as SnippetLanguage[];

/** False, with a printed note, if the language is not installed. */
export function canRun(language: SnippetLanguage): boolean {
  const { program } = SNIPPET_RUNNERS[language];
  const present = Bun.which(program) !== null;
  if (!present) console.error(`SKIPPED: ${program} is missing, its snippet was not run`);
  return present;
}

/** Writes the snippet, followed by code that calls it, to `directory`. */
export async function installSnippet(
  directory: string,
  language: SnippetLanguage,
  snippet: string,
): Promise<void> {
  const { file, tail } = SNIPPET_RUNNERS[language];
  await Bun.write(join(directory, file), snippet + tail);
}

/** Exit status and error output: 0 accepts, 1 rejects, any other is a broken snippet. */
export async function runSnippet(
  directory: string,
  language: SnippetLanguage,
  delivery: { readonly body: string; readonly header: string; readonly secret: string },
): Promise<{ status: number; errors: string }> {
  const { program, file } = SNIPPET_RUNNERS[language];
  const bodyFile = join(directory, `${language}.body`);
  await Bun.write(bodyFile, delivery.body);
  const run = Bun.spawn(
    [program, join(directory, file), bodyFile, delivery.header, delivery.secret],
    { stdout: "pipe", stderr: "pipe" },
  );
  const [status, errors] = [await run.exited, await new Response(run.stderr).text()];
  return { status, errors };
}
