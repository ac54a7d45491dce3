/** Known models by name, the same as in the documents. */
import { expect, test } from "bun:test";
import { KNOWN_MODELS, knownModel } from "../../src/engine/models.ts";

const documented = (await Bun.file("docs/engine-reference.md").text())
  .split("\n")
  .filter(
    (line) => line.startsWith("| `gpt") || /^\| `(?:o\d|llama|openai\/|tts|whisper)/.test(line),
  )
  .flatMap((line) => {
    const [, names = "", , date = "", replacement = ""] = line
      .split("|")
      .map((cell) => cell.trim());
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({
      name,
      shutdown: date === "no date" ? null : date,
      replacement: replacement === "" ? null : replacement.replaceAll("`", ""),
    }));
  });

test("the table in the documents equals the appliance's table", () => {
  const known = Object.entries(KNOWN_MODELS).map(([name, { shutdown, replacement }]) => ({
    name,
    shutdown,
    replacement,
  }));
  const byName = (one: { name: string }, other: { name: string }) =>
    one.name.localeCompare(other.name);
  expect(documented.toSorted(byName)).toEqual(known.toSorted(byName));
});

test("a model's replacement is known, and has no shutdown date", () => {
  for (const [name, { shutdown, replacement }] of Object.entries(KNOWN_MODELS)) {
    expect([name, shutdown === null]).toEqual([name, replacement === null]);
    if (replacement !== null) expect(KNOWN_MODELS[replacement]?.shutdown).toBeNull();
  }
});

test("a dated version counts as its model; another provider's name is unknown", () => {
  expect(knownModel("gpt-4o-mini-2024-07-18")?.shutdown).toBe("2027-01-14");
  expect(knownModel("qwen2.5:7b")).toBeNull();
});

test("every default model of the configuration is known, without a shutdown date", async () => {
  const toml = await Bun.file("config/linevoice.toml").text();
  const defaults = [...toml.matchAll(/^\w*model = "([^"]+)"/gm)].map(([, name = ""]) => name);
  expect(defaults.length).toBeGreaterThan(4);
  for (const name of defaults) expect([name, knownModel(name)?.shutdown]).toEqual([name, null]);
});
