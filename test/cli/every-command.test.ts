/**
 * Every command in docs and help, without a server, follows one contract: success is status 0 and
 * with --json one JSON value, an impossible action is 1, and wrong usage is 2 with the usage.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../src/cli/run.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const cwd = tempDir();
writeFileSync(join(cwd, "l.toml"), '[server]\nlisten = "127.0.8.101:8101"\nmetrics_listen = ""\n');
writeFileSync(join(cwd, "sip.toml"), "[sip\n");
writeFileSync(join(cwd, "password"), "secret\n");
writeFileSync(join(cwd, "empty"), "");

async function linevoice(line: string) {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    cwd,
    env: {},
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  };
  const words = line.split(" ").map((word) => word.replaceAll("_", " "));
  const status = await runCli(words, terminal);
  return { status, out, err: err.join("\n") };
}

const inPlace = (line: string) => linevoice(`${line} --config l.toml`);
const TRUNK = "trunk set --tenant 1 --server sip.example.com --username u --caller-id +37052123456";
const THIS_MONTH = new Date().toISOString().slice(0, 7);

/** In this order: later commands need the results of earlier ones. Each prints one JSON value. */
const RIGHT = [
  "version",
  "config check",
  "config show",
  "migrate up --dry-run",
  "setup",
  "tenant create --name Clinic --email clinic@example.com",
  "tenant create --name Other --email other@example.com --plan business",
  "tenant list",
  "tenant suspend 2",
  "tenant resume 2",
  "tenant dialing 1",
  "tenant dialing 1 --prefixes +370,+371 --short-numbers 112,1xxx,*8# --calls-per-minute 10 --daily-spend 20.5",
  "tenant dialing 1 --prefixes own --short-numbers none --daily-spend default",
  "user create --tenant 1 --email ana@example.com --operator",
  "user reset-password --email ana@example.com",
  "user list",
  "key create --tenant 1 --label integration",
  "key create --tenant 1 --label limited --scopes read,calls --expires 90d --networks 192.0.2.7,10.0.0.0/8",
  "key create --tenant 1 --label dated --expires 2030-01-31",
  "key create --tenant 1 --label timed --expires 2030-01-31T10:00:00+0200",
  `${TRUNK} --password-file password`,
  `${TRUNK} --password-file password --port 5070 --transport tcp --realm r --outbound-proxy p.example.com:5060`,
  `${TRUNK} --no-register --channels 1`,
  `${TRUNK} --no-register --channels 1000`,
  "trunk list",
  "number confirm --tenant 1 +37052000009",
  "credit --tenant 1 --eur 12.5 --note first_top-up",
  "checkout list",
  `statement --tenant 1 --month ${THIS_MONTH}`,
  "contact list --tenant 1",
  "tool list --tenant 1",
  "engine try --ask When_are_you_open?",
  "campaign list --tenant 1",
  "erase --tenant 1 --number +37061234567",
  "export --tenant 1 --to export.json",
  "migrate status",
  "backup create --to copy.db",
  "backup list",
  "backup verify copy.db",
  "restore copy.db --yes",
  "store copy --to copied.db",
  "key rotate-master",
  "key rotate-master --purposes",
] as const;

/** Valid but impossible: status 1 with a reason. */
const IMPOSSIBLE = [
  "tenant suspend 99",
  "tenant dialing 99 --prefixes +370",
  "tenant create --name N --email e@example.com --plan nonsense",
  "user create --tenant 99 --email e@example.com",
  "user reset-password --email nobody@example.com",
  "key create --tenant 99 --label l",
  "key create --tenant 1 --label l --expires 9999d",
  `${TRUNK.replace("--tenant 1", "--tenant 99")} --password-file password`,
  `${TRUNK} --password-file missing`,
  "trunk test 1",
  "number confirm --tenant 99 +37052000009",
  "credit --tenant 99 --eur 1 --note n",
  "checkout confirm chk_none",
  "call --agent 1 --to +37061234567",
  "logs",
  "ready",
  "nodes",
  "nodes list",
  "nodes drain voice-1",
  "nodes resume voice-1",
  "clock confirm",
  "store copy --to copied.db",
  "store copy --to http://127.0.0.1:1 --token-file missing",
  "backup verify missing.db",
  "backup create --to copy.db",
  "restore missing.db --yes",
  "restore password --yes",
  "export --tenant 1 --to export.json",
] as const;

const WRONG = [
  "tenant create --name N",
  "tenant create --email e@example.com",
  "tenant suspend",
  "tenant suspend one",
  "tenant resume 0",
  "tenant list 1",
  "tenant dialing",
  "tenant dialing 1 --prefixes 370",
  "tenant dialing 1 --short-numbers +112",
  "tenant dialing 1 --calls-per-minute 0",
  "tenant dialing 1 --calls-per-minute 601",
  "tenant dialing 1 --daily-spend -1",
  "tenant dialing 1 --daily-spend 0.001",
  "tenant dialing 1 --daily-spend 100001",
  "user create --tenant 1",
  "user create --tenant 1 --email e@example.com --role king",
  "user list --mail",
  "key create --tenant 1",
  "key create --label l",
  "key create --tenant 1 --label l --scopes admin",
  "key create --tenant 1 --label l --scopes",
  "key create --tenant 1 --label l --expires 0d",
  "key create --tenant 1 --label l --expires 2020-01-31",
  "key create --tenant 1 --label l --expires soon",
  "key create --tenant 1 --label l --expires 2030-02-30",
  "key create --tenant 1 --label l --networks 10.0.0.0/33",
  "key create --tenant 1 --label l --purposes",
  "key rotate-master --scopes read",
  "key rotate-master --tenant 1",
  TRUNK,
  `${TRUNK} --password-file password --password-stdin`,
  `${TRUNK} --password-file empty`,
  `${TRUNK} --password-file password --port 0`,
  `${TRUNK} --password-file password --port 65536`,
  `${TRUNK} --no-register --channels 0`,
  `${TRUNK} --no-register --channels 1001`,
  `${TRUNK} --no-register --channels 2.5`,
  `${TRUNK} --password-file password --transport smoke`,
  `${TRUNK} --password-file password --outbound-proxy a:b:c`,
  TRUNK.replace("+37052123456", "8521"),
  TRUNK.replace("sip.example.com", "sip:example"),
  "trunk test",
  "trunk test one",
  "trunk list 1",
  "trunk",
  "credit --tenant 1 --eur 1",
  "credit --tenant 1 --note n",
  "credit --tenant 1 --eur 1,5 --note n",
  "call --agent 1",
  "call --to +37061234567",
  "call --agent 1 --to 061234567",
  "doctor now",
  "config",
  "config edit",
  "migrate",
  "migrate down",
  "backup",
  "backup create --to",
  "backup list --to f",
  "backup verify",
  "restore",
  "setup now",
  "version now",
  "serve now",
  "ready --wait soon",
  "nodes drain",
  "store",
  "store copy",
  "store copy --to a.db b.db",
  "nodes drop voice-1",
  "clock",
  "clock confirm now",
  "logs --level loud",
  "logs --limit 0",
  "logs --call 1",
  "checkout confirm",
  "number confirm --tenant 1",
  "number confirm --tenant 1 5551234",
  `statement --tenant 1 --month ${THIS_MONTH}-01`,
  "erase --tenant 1",
  "export --tenant 1",
  "support-bundle now",
] as const;

describe("without a server", () => {
  beforeAll(() => {
    expect(RIGHT.length).toBeGreaterThan(30);
  });

  for (const line of RIGHT)
    test(`${line} --json returns status 0 and one JSON value`, async () => {
      const { status, out, err } = await inPlace(`${line} --json`);
      expect({ status, err }).toEqual({ status: 0, err: "" });
      expect(() => JSON.parse(out.join("\n"))).not.toThrow();
    });

  for (const line of IMPOSSIBLE)
    test(`${line} returns status 1 and the reason`, async () => {
      const { status, out, err } = await inPlace(line);
      expect({ status, said: (err + out.join()).length > 10 }).toEqual({ status: 1, said: true });
      expect(err).not.toMatch(/\bat .*\.ts:\d/);
    });
});

for (const line of WRONG)
  test(`${line} returns status 2 and the usage`, async () => {
    const { status, err } = await inPlace(line);
    expect(status).toBe(2);
    expect(err).toContain("Usage: linevoice");
  });

const COMMANDS = [
  ...["serve", "demo", "setup", "tenant", "user", "key", "trunk", "credit", "call", "doctor"],
  ...["config", "migrate", "backup", "restore", "version", "logs", "ready", "support-bundle"],
  "nodes",
  "store",
];
for (const command of COMMANDS)
  test(`${command}: help returns status 0, an unknown option 2, a broken configuration 2`, async () => {
    const help = await linevoice(`${command} --help`);
    expect([help.status, help.out[0]?.startsWith(`Usage: linevoice ${command}`)]).toEqual([
      0,
      true,
    ]);
    expect((await linevoice(`${command} --nonsense`)).status).toBe(2);
    if (["demo", "version"].includes(command)) return;
    const words: Readonly<Record<string, string>> = {
      tenant: "list",
      user: "list",
      key: "create --tenant 1 --label l",
      trunk: "list",
      credit: "--tenant 1 --eur 1 --note n",
      call: "--agent 1 --to +37061234567",
      config: "check",
      migrate: "status",
      backup: "list",
      restore: "copy.db --yes",
      store: "copy --to x.db",
    };
    const broken = await linevoice(
      `${command} ${words[command] ?? ""} --config sip.toml`.replace("  ", " "),
    );
    // The doctor reports it as a failed check.
    expect(broken.status).toBe(command === "doctor" ? 1 : 2);
    expect(broken.err + broken.out.join("\n")).toContain("sip.toml:1");
  });
