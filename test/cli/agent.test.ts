/** `linevoice agent` and `rehearse --agent`, on the data directory without a server. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeAgentFolder } from "../../src/cli/agent-folder.ts";
import { runCli } from "../../src/cli/run.ts";
import { offlineServices } from "../support/appliance/offline-services.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
const CONFIG = "ok.toml";
/** Runs in this process, because starting a process takes longer than the command. */
async function linevoice(args: string) {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await runCli([...args.split(" "), "--config", CONFIG], {
    cwd,
    env: {},
    out: (line) => void out.push(`${line}\n`),
    err: (line) => void err.push(`${line}\n`),
  });
  return { status, out: out.join(""), err: err.join("") };
}
const json = async (args: string) => JSON.parse((await linevoice(`${args} --json`)).out);
const PRICE = "## How much does it cost?\nIt costs forty euros.\n";

beforeAll(async () => {
  writeFileSync(join(cwd, CONFIG), '[storage]\ndata_dir = "data"\n');
  writeFileSync(
    join(cwd, "price.yaml"),
    "name: Price\nscript:\n  - say: How much does it cost?\n    must: [{says: {money: 40 EUR}}]\n  - hang_up: true\n",
  );
  await linevoice("tenant create --name N --email a@example.com");
  await offlineServices(cwd, CONFIG, async ({ agents, files }) => {
    const texts = { firstMessage: "Hello.", fillerPhrases: "One moment.", voice: "Sari" };
    const spoken = { ...texts, firstSpeaker: "assistant", language: "en" } as const;
    const after = { webhookUrl: null, transcriptEmail: null, transcriptEmailEnabled: false };
    const limits = { maxDurationSeconds: 600, voicemailAction: "hangup" } as const;
    const agent = await agents.create(1, {
      name: "Desk",
      prompt: "Answer from the knowledge base.",
      sendDigitsInbound: false,
      ...spoken,
      ...after,
      ...limits,
    });
    await files.create(1, { filename: "price.md", content: PRICE, agentId: agent.id });
  });
});

test("a stored agent is rehearsed by id or name, and the result names its version", async () => {
  const byName = await json("rehearse price.yaml --agent Desk --tenant 1");
  expect(byName).toMatchObject({ scenarios: 1, passed: 1 });
  expect(byName.results[0].agent).toEqual({ name: "Desk", id: 1, version: 2 });
  expect((await json("rehearse price.yaml --agent 1")).results[0].agent.id).toBe(1);
  const missing = await linevoice("rehearse price.yaml --agent Nobody");
  expect([missing.status, missing.err]).toEqual([1, expect.stringContaining("Agent not found")]);
  const noDraft = await linevoice("rehearse price.yaml --agent 1 --draft");
  expect([noDraft.status, noDraft.err]).toEqual([1, expect.stringContaining("raft not found")]);
});

test("versions are listed, compared and rolled back; a draft is published", async () => {
  await offlineServices(cwd, CONFIG, async ({ agents, agentVersions }) => {
    await agents.update(1, 1, { prompt: "Answer briefly." });
    await agentVersions.changeDraft(
      1,
      1,
      { prompt: "Answer kindly." },
      { kind: "operator", id: null },
    );
  });
  const list = await linevoice("agent versions --tenant 1 1");
  expect(list.out).toMatch(/^3 .*operator +prompt +published$/m);
  const diff = await linevoice("agent diff --tenant 1 1 --from 2 --to 3");
  expect(diff.out).toContain("== prompt\n");
  expect(diff.out).toContain("{+briefly+}");
  expect((await linevoice("agent diff --tenant 1 1")).out).toContain("{+kindly+}");

  const rolledBack = await linevoice("agent rollback --tenant 1 1 --to 2");
  expect(rolledBack.out).toBe("New calls now use version 4.\n");
  expect((await linevoice("agent versions --tenant 1 1")).out).toContain("version 2 again");
  const outdated = await linevoice("agent publish --tenant 1 1");
  expect([outdated.status, outdated.err]).toEqual([1, expect.stringContaining("Version 4")]);
  expect(await json("agent publish --tenant 1 1 --force")).toEqual({ version: 5, notes: [] });
  expect((await linevoice("agent diff --tenant 1 1")).status).toBe(1);
  expect((await linevoice("agent rollback --tenant 1 1 --to 99")).status).toBe(1);
  expect((await linevoice("agent rollback --tenant 1 1")).status).toBe(2);
});

test("a rehearsal of the draft is stored with its version, and allows publication", async () => {
  expect((await linevoice("agent rule --tenant 1 1 --rehearsed on")).status).toBe(0);
  await offlineServices(cwd, CONFIG, async ({ agentVersions }) => {
    const author = { kind: "operator", id: null } as const;
    await agentVersions.changeDraft(1, 1, { prompt: "Rehearsed." }, author);
  });
  expect((await linevoice("agent publish --tenant 1 1")).err).toContain(
    "Rehearse the current draft",
  );
  const rehearsed = await linevoice("rehearse price.yaml --agent 1 --draft --junit j.xml");
  expect(rehearsed.out).toContain("agent Desk, its draft");
  const xml = readFileSync(join(cwd, "j.xml"), "utf8");
  expect(xml).toContain('<property name="agent_version" value="draft"/>');
  expect((await linevoice("agent publish --tenant 1 1")).status).toBe(0);
  await linevoice("agent rule --tenant 1 1 --rehearsed off");
});

test("a split is opened, shown and closed", async () => {
  const none = await linevoice("agent split --tenant 1 1");
  expect(none.out).toBe("Callers are not split between versions.\n");
  const opened = await linevoice("agent split --tenant 1 1 --version 2 --percent 30");
  expect(opened.out).toContain("30 of 100 callers get version 2 instead of");
  expect((await json("agent split --tenant 1 1")).percent).toBe(30);
  const both = await linevoice("agent split --tenant 1 1 --keep 2 --percent 5");
  expect(both.status).toBe(2);
  const kept = await linevoice("agent split --tenant 1 1 --keep 2");
  expect(kept.out).toContain("New calls now use version");
  expect((await json("agent split --tenant 1 1")).ended_at).not.toBeNull();
});

const at = (name: string) => join(cwd, "desk", name);
const versionNow = async () => (await json("agent versions --tenant 1 1"))[0].number;

test("pull and push change nothing; an edit creates one version; other people's versions are not overwritten", async () => {
  await offlineServices(cwd, CONFIG, async ({ agents, tools }) => {
    await agents.update(1, 1, { prompt: "Be kind.\n\n  - and brief: always\n" });
    await tools.create(1, {
      agentId: 1,
      name: "find_booking",
      enabled: true,
      callerLevel: 0,
      secret: "canary-1",
      description: "Finds a booking.",
      secretHeader: "X-Tool-Secret",
      url: "https://example.com/tool",
      parameters: { type: "object", properties: {} },
    });
  });
  const before = await versionNow();
  expect((await linevoice("agent pull --tenant 1 1 desk")).err).toBe("");
  const yaml = readFileSync(at("agent.yaml"), "utf8");
  expect(yaml).toContain("prompt: |+\n  Be kind.\n\n    - and brief: always\n");
  expect(yaml).toContain("url: https://example.com/tool");
  expect(yaml).not.toContain("canary");
  expect(readFileSync(at("files/price.md"), "utf8")).toBe(PRICE);
  expect((await linevoice("agent diff desk")).out).toBe("No difference.\n");
  expect((await linevoice("agent push desk")).out).toBe("No difference.\n");
  expect(await versionNow()).toBe(before);

  writeFileSync(at("files/price.md"), PRICE.replace("forty", "fifty"));
  expect((await linevoice("agent diff desk")).out).toContain("[-forty-]{+fifty+}");
  const pushed = await linevoice("agent push desk");
  expect([pushed.out, pushed.err]).toEqual([`New calls now use version ${before + 1}.\n`, ""]);
  expect((await linevoice("agent push desk")).out).toBe("No difference.\n");
  expect(await versionNow()).toBe(before + 1);
  const again = [readFileSync(at("agent.yaml"), "utf8"), readFileSync(at("origin.json"), "utf8")];
  await linevoice("agent pull --tenant 1 1 desk");
  expect(readFileSync(at("agent.yaml"), "utf8")).toBe(again[0] ?? "");
  expect(readFileSync(at("origin.json"), "utf8")).toBe(again[1] ?? "");

  await linevoice("agent rollback --tenant 1 1 --to 2");
  const refused = await linevoice("agent push desk");
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("--force")]);
  expect(await versionNow()).toBe(before + 2);
  expect((await linevoice("agent push desk --force")).status).toBe(0);
  expect(await versionNow()).toBe(before + 3);
});

const scenarioOf = (name: string, says: string) =>
  `name: ${name}\nscript:\n  - say: How much does it cost?\n    must: [${says}]\n  - hang_up: true\n`;

test("rehearsals are pulled and pushed as files; other people's changes are not overwritten", async () => {
  const keep = (yaml: string) =>
    offlineServices(cwd, CONFIG, async ({ agentScenarios }) => {
      await agentScenarios.put(1, 1, yaml);
    });
  const price = scenarioOf("Price of a visit", "fifty euros");
  await keep(price);
  expect((await linevoice("agent pull --tenant 1 1 desk")).err).toBe("");
  const file = at("rehearsals/price-of-a-visit.yaml");
  expect(readFileSync(file, "utf8")).toBe(price);
  expect((await linevoice("agent push desk")).out).toBe("No difference.\n");

  const before = await versionNow();
  writeFileSync(file, price.replace("fifty", "ninety"));
  writeFileSync(at("rehearsals/mine.yaml"), scenarioOf("Mine", "euros"));
  const diff = await linevoice("agent diff desk");
  expect(diff.out).toContain("== rehearsals Mine\n");
  expect(diff.out).toContain("[-fifty-]{+ninety+}");
  const pushed = await linevoice("agent push desk");
  expect(pushed.out).toContain("The rehearsals now match these files.");
  expect(await versionNow()).toBe(before);
  const rehearsed = await json("rehearse --agent 1");
  expect(rehearsed).toMatchObject({ scenarios: 2, passed: 1 });

  await keep(scenarioOf("Mine", "forty"));
  rmSync(file);
  const refused = await linevoice("agent push desk");
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("rehearsals on")]);
  expect((await linevoice("agent push desk --force")).status).toBe(0);
  expect((await json("rehearse --agent 1")).scenarios).toBe(1);
  await keep(scenarioOf("Price of a visit", "fifty"));
  await linevoice("agent pull --tenant 1 1 desk");
  expect(readFileSync(file, "utf8")).toContain("must: [fifty]");
  expect(readFileSync(at("rehearsals/mine.yaml"), "utf8")).toContain("name: Mine");
});

test("a folder is pushed as a draft, which is then discarded or published", async () => {
  const yaml = readFileSync(at("agent.yaml"), "utf8");
  writeFileSync(at("agent.yaml"), yaml.replace("Be kind.", "Be patient."));
  const before = await versionNow();
  const pushed = await linevoice("agent push desk --draft");
  expect(pushed.out).toContain("The draft now matches these files.");
  expect(await versionNow()).toBe(before);
  expect((await linevoice("agent diff --tenant 1 1")).out).toContain("{+patient+}");
  const discarded = await linevoice("agent discard --tenant 1 1");
  expect(discarded.out).toBe("The draft is discarded.\n");
  expect((await linevoice("agent discard --tenant 1 1")).status).toBe(1);
  await linevoice("agent push desk --draft");
  expect((await json("agent publish --tenant 1 1")).version).toBe(before + 1);
  await linevoice("agent pull --tenant 1 1 desk");
  expect((await linevoice("agent push desk")).out).toBe("No difference.\n");
});

test("names that point outside the folder, and symbolic links, are rejected", async () => {
  writeFileSync(join(cwd, "secret.md"), "canary-2");
  const yaml = readFileSync(at("agent.yaml"), "utf8");
  for (const name of ["../secret.md", "files/../../secret.md", "files/a/b.md", "/etc/hosts.txt"]) {
    writeFileSync(at("agent.yaml"), yaml.replace("files/price.md", name));
    const refused = await linevoice("agent push desk");
    expect([refused.status, refused.err]).toEqual([1, expect.stringMatching(/must be in|cannot/)]);
  }
  writeFileSync(at("agent.yaml"), yaml);
  rmSync(at("files/price.md"));
  symlinkSync(join(cwd, "secret.md"), at("files/price.md"));
  expect((await linevoice("agent push desk")).err).toContain("is not a regular file");
  expect((await linevoice("agent pull --tenant 1 1 desk")).err).toContain("is not a regular file");
  expect(readFileSync(join(cwd, "secret.md"), "utf8")).toBe("canary-2");
  const origin = { tenant: 1, agent: 1, version: 1 };
  for (const name of ["../x.md", "a/b.md", "..", "a\nb.md", "a\\b.md"])
    expect(() => writeAgentFolder(join(cwd, "new"), origin, {}, [[name, "x"]])).toThrow(
      "cannot be",
    );
});
