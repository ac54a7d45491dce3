/** `doctor`: working parts pass; each fault is reported with a number and its remedy. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openVault } from "../../src/app/vault.ts";
import { residentDoctor } from "../../src/cli/doctor.ts";
import { systemClock } from "../../src/core/clock.ts";
import { microEur } from "../../src/core/money.ts";
import { systemRandom } from "../../src/core/random.ts";
import type { OperatorTrunk } from "../../src/features/trunk/contract.ts";
import { trunkPasswordBinding, trunkStore } from "../../src/features/trunk/trunk-store.ts";
import type { Ask } from "../../src/http/contracts/operations.ts";
import { configSchema } from "../../src/ops/config/schema.ts";
import { type Check, type ExaminedAppliance, examine } from "../../src/ops/doctor/check.ts";
import { speechCapacity } from "../../src/ops/doctor/engine-check.ts";
import {
  certificate,
  mailProvider,
  ports,
  rtpRange,
  trunkRegistrations,
} from "../../src/ops/doctor/network-checks.ts";
import {
  backupAge,
  clockSanity,
  databaseAndLedger,
  dataDirectory,
  diskRoom,
  secrets,
} from "../../src/ops/doctor/storage-checks.ts";
import { storedTools } from "../../src/ops/doctor/tool-check.ts";
import { createVault } from "../../src/platform/secrets/vault.ts";
import { tools, wallets } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { runCli, startCli, untilListening } from "../support/appliance/cli.ts";
import { PROGRAM } from "../support/appliance/program.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { testWhere } from "../support/privileges.ts";
import { smallDisk } from "../support/store/small-disk.ts";
import { insertCall, insertTenant } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
const env = {
  PATH: process.env.PATH ?? "",
  LINEVOICE_SERVER__LISTEN: "127.0.0.81:18081",
  LINEVOICE_SERVER__METRICS_LISTEN: "",
  LINEVOICE_SIP__BIND: "127.0.0.81:15081",
};

interface Verdicts {
  readonly ok: boolean;
  readonly checks: readonly {
    number: number;
    name: string;
    result: string;
    finding: string;
    remedy: string | null;
  }[];
}

async function doctor(extra: Record<string, string> = {}, ...more: string[]) {
  const words = ["doctor", "--json", ...more];
  const { out, status } = await runCli(cwd, words, { env: { ...env, ...extra } });
  const report = JSON.parse(out) as Verdicts;
  const verdictOf = (name: string) => report.checks.find((check) => check.name === name)?.result;
  return { status, report, verdictOf };
}

const patientOf = (
  fields: Partial<ExaminedAppliance> & {
    readonly settings?: Parameters<typeof configSchema.parse>[0];
  } = {},
): ExaminedAppliance => {
  const dataDir = fields.dataDir ?? tempDir();
  const config = configSchema.parse(fields.settings ?? {});
  const rest = {
    databasePath: join(dataDir, "linevoice.db"),
    trunks: null,
    clock: systemClock,
    masterKey: () => new Uint8Array(32),
  };
  return { config, dataDir, ...rest, ...fields };
};

const noTrunks = (async () => []) as unknown as Ask;

async function verdict(check: Check, patient: ExaminedAppliance): Promise<string> {
  const [result] = await examine([check], patient, 1);
  const fixed = result?.result === "ok" || result?.result === "skipped" || result?.remedy !== null;
  expect(fixed).toBe(true);
  return `${result?.result}: ${result?.finding}`;
}

/** Enough for a test's calls, but not for the configured calls. */
const DESCRIPTORS_MAX = 400;
const limited = ["sh", "-c", `ulimit -n ${DESCRIPTORS_MAX}; exec "$@"`, "limited"];
const server = startCli(cwd, "serve", { env, program: [...limited, ...PROGRAM] });

test("a healthy appliance passes every check, with a running server and after it stopped", async () => {
  await untilListening(server);
  const running = await doctor();
  expect(running.report.checks.filter((check) => check.result === "failed")).toEqual([]);
  expect(running.status).toBe(0);
  const descriptors = running.report.checks.find(({ name }) => name === "descriptors");
  expect(descriptors).toMatchObject({
    result: "warning",
    finding: expect.stringContaining(`${DESCRIPTORS_MAX} file descriptors are allowed`),
  });
  expect(running.report.checks.map((check) => check.number)).toEqual(
    Array.from({ length: 23 }, (_, index) => index + 1),
  );
  for (const name of ["configuration", "data directory", "database", "clock", "ports", "engine"])
    expect([name, running.verdictOf(name)]).toEqual([name, "ok"]);
  expect(running.verdictOf("trunks")).toBe("warning");
  // Depends on the limits of this machine.
  expect(["ok", "warning"]).toContain(String(running.verdictOf("packets")));
  server.kill("SIGTERM");
  await server.exited;
  const alone = await doctor();
  expect([alone.status, alone.verdictOf("ports")]).toEqual([0, "ok"]);
  for (const name of ["trunks", "packets"])
    expect([name, alone.verdictOf(name)]).toEqual([name, "skipped"]);
}, 120_000);

test("an invalid configuration ends the checks with status 1", async () => {
  const { status, report } = await doctor({ LINEVOICE_RTP__PORTS: "many" });
  expect(status).toBe(1);
  expect(report.checks).toHaveLength(1);
});

test("a world-readable configuration with a secret fails", async () => {
  const place = tempDir();
  chmodSync(place, 0o755);
  const file = join(place, "linevoice.toml");
  writeFileSync(file, '[mail.smtp]\npassword = "hunter2"\n');
  chmodSync(file, 0o644);
  const { report } = await doctor({}, "--config", file);
  expect(report.checks[0]).toEqual({
    number: 1,
    name: "configuration",
    result: "failed",
    finding: `Every user of this machine can read ${file}, which holds [mail.smtp] password.`,
    remedy: `chmod o= ${file}`,
  });
  expect(report.checks).toHaveLength(23);
  chmodSync(file, 0o640);
  expect((await doctor({}, "--config", file)).verdictOf("configuration")).toBe("ok");
});

test("a port in use, too few RTP ports and a rejected trunk fail", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.82", resolve));
  const address = taken.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const listen = `127.0.0.82:${port}`;
  const sip = { bind: "127.0.0.82:0" };
  expect(await verdict(ports, patientOf({ settings: { server: { listen }, sip } }))).toContain(
    "failed: [server] listen",
  );
  taken.close();
  const few = { rtp: { ports: "21900-21919" }, sip };
  expect(await verdict(rtpRange, patientOf({ settings: few }))).toContain("has room for 10 calls");
  const trunk: OperatorTrunk = {
    id: 3,
    tenant_id: 1,
    server: "sip.example.com",
    port: 5060,
    transport: "udp",
    username: "u",
    caller_id: "+37052000000",
    register: true,
    status: "failed",
    last_code: 403,
    reason: null,
    explanation: "The password is wrong.",
    channels: null,
    realm: null,
    outbound_proxy: null,
    extra_networks: [],
    next_attempt_at: null,
  };
  expect(await verdict(trunkRegistrations, patientOf({ trunks: [trunk] }))).toContain("password");
  expect(
    await verdict(ports, patientOf({ trunks: [], settings: { server: { listen } } })),
  ).toContain("No response");
});

test("file permissions, damage, money, the clock and an old backup fail, with a remedy", async () => {
  const patient = patientOf();
  const { dataDir, databasePath } = patient;
  chmodSync(dataDir, 0o755);
  expect(await verdict(dataDirectory, patient)).toContain("Other users can read");
  chmodSync(dataDir, 0o700);
  expect(await verdict(dataDirectory, patient)).toContain("ok");

  const database = openDatabase(databasePath, 0);
  const tenantId = await insertTenant(database);
  await insertCall(database, tenantId, "one");
  expect(await verdict(databaseAndLedger, patient)).toContain("ok: The file is intact");
  await database.tx(async (queries) => {
    await queries.update(wallets).set({ balance: microEur(5) });
    await queries
      .insert(wallets)
      .values({ tenantId, balance: microEur(5) })
      .onConflictDoNothing();
  });
  expect(await verdict(databaseAndLedger, patient)).toContain("failed: The ledger");
  await database.close();
  expect(await verdict(clockSanity, { ...patient, clock: fakeClock(1000) })).toContain("1970");

  expect(await verdict(backupAge, patient)).toContain("no backup yet");
  const bytes = readFileSync(databasePath);
  mkdirSync(join(dataDir, "backups"));
  const backup = join(dataDir, "backups", "linevoice-20260101T000000000Z.db");
  writeFileSync(backup, bytes);
  expect(await verdict(backupAge, patient)).toContain("ok");
  utimesSync(backup, 1_700_000_000, 1_700_000_000);
  expect(await verdict(backupAge, patient)).toContain("failed");
  writeFileSync(databasePath, bytes.fill(0x5a, 4096));
  expect(await verdict(databaseAndLedger, patient)).toContain("failed");
});

const noInodes = smallDisk(1000, 2);
afterAll(() => noInodes?.unmount());
testWhere(noInodes !== null, "mounting")(
  "a disk without inodes fails, however many bytes are free",
  async () => {
    const patient = patientOf({ dataDir: noInodes?.path ?? "" });
    expect(await verdict(diskRoom, patient)).toStartWith("ok");
    writeFileSync(join(patient.dataDir, "last"), "");
    expect(await verdict(diskRoom, patient)).toContain("failed: No inode is left");
  },
);

test("reports how many concurrent speakers the configured threads can recognise", async () => {
  const rtp = { ports: "21900-21919" };
  for (const [speech_workers, talkers] of [
    [1, 4],
    [3, 12],
    [64, 36],
  ])
    expect(
      await verdict(
        speechCapacity,
        patientOf({ settings: { rtp, engine: { embedded: { speech_workers } } } }),
      ),
    ).toMatch(
      new RegExp(`speech threads? can transcribe ${talkers} callers speaking at the same time`),
    );
  const fewer = { speech_workers: 3, calls_max: 5 };
  const settings = { rtp, engine: { embedded: fewer } };
  expect(await verdict(speechCapacity, patientOf({ settings }))).toContain(
    " At most 5 concurrent calls are accepted",
  );
  expect(await verdict(speechCapacity, patientOf({ settings }))).toContain(
    "Further speech waits (linevoice_speech_waits_total), and new callers hear that all lines are busy",
  );
  const engine = { kind: "openai", openai: { base_url: "http://127.0.0.1:9/v1" } };
  expect(await verdict(speechCapacity, patientOf({ settings: { engine } }))).toContain("skipped");
});

test("an older tool is reported if a newer rule rejects its schema", async () => {
  const patient = patientOf();
  const database = openDatabase(patient.databasePath, 0);
  const tenantId = await insertTenant(database);
  const tool = {
    tenantId,
    name: "book_days",
    description: "Books.",
    url: "https://tools.example/book",
    secretHeader: "X-Tool-Secret",
    secretSealed: "",
    createdAt: 0,
    updatedAt: 0,
    parameters: { type: "object", properties: { days: { type: "array" } } },
  };
  await database.tx(async (queries) => void (await queries.insert(tools).values(tool)));
  expect(await verdict(storedTools, patient)).toContain(
    `warning: Agents cannot use 1 tools. book_days of tenant ${tenantId}: days is an array`,
  );
  await database.tx(async (queries) => void (await queries.update(tools).set({ enabled: false })));
  expect(await verdict(storedTools, patient)).toContain("ok");
  await database.close();
});

test("an unreachable mail server and an unreadable certificate fail", async () => {
  const smtp = { provider: "smtp", smtp: { host: "127.0.0.83", port: 1 } };
  expect(await verdict(mailProvider, patientOf({ settings: { mail: smtp } }))).toContain("failed");
  const tls = { tls_cert: "/nowhere/cert.pem", tls_key: "/nowhere/key.pem" };
  expect(await verdict(certificate, patientOf({ settings: { server: tls } }))).toContain("failed");
});

test("a foreign master key is detected even if only the appliance's own secret is encrypted", async () => {
  const patient = patientOf();
  const database = openDatabase(patient.databasePath, 0);
  const key = new Uint8Array(32).fill(7);
  await openVault(database, key, systemRandom);
  await database.close();
  expect(await verdict(secrets, { ...patient, masterKey: () => key })).toContain("ok");
  expect(await verdict(secrets, patient)).toContain("failed: The master key is not the one");
});

test("a running server does not check the secrets with the key of its start", async () => {
  const { dataDir, databasePath, config } = patientOf();
  const database = openDatabase(databasePath, 0);
  await openVault(database, new Uint8Array(32).fill(7), systemRandom);
  await database.close();
  const atStart = Buffer.alloc(32, 8).toString("base64");
  const withKey = { ...config, secrets: { master_key: atStart } };
  const read = { file: null, sources: new Map(), secretFiles: new Map(), warnings: [] };
  const checks = await residentDoctor({ config: withKey, dataDir, ...read })(noTrunks);
  expect(checks.filter(({ name, result }) => name === "secrets" && result === "failed")).toEqual(
    [],
  );
});

test("a running server also reports a secret in a file that others can read", async () => {
  const { dataDir, config } = patientOf();
  const place = tempDir();
  chmodSync(place, 0o755);
  const file = join(place, "linevoice.toml");
  const secretFiles = new Map([[file, "mail.smtp.password"]]);
  const doctorOfIt = residentDoctor({
    config,
    dataDir,
    file,
    sources: new Map(),
    secretFiles,
    warnings: [],
  });
  const found = async (mode: number) => {
    writeFileSync(file, "");
    chmodSync(file, mode);
    const [first] = await doctorOfIt(noTrunks);
    return first;
  };
  expect(await found(0o644)).toMatchObject({
    number: 1,
    name: "configuration",
    result: "failed",
    remedy: `chmod o= ${file}`,
    finding: `Every user of this machine can read ${file}, which holds [mail.smtp] password.`,
  });
  expect((await found(0o600))?.result).toBe("ok");
});

test("a missing, foreign or damaged master key is detected before a call needs it", async () => {
  const patient = patientOf();
  expect(await verdict(secrets, patient)).toContain("skipped");
  const database = openDatabase(patient.databasePath, 0);
  const tenantId = await insertTenant(database);
  const key = new Uint8Array(32).fill(7);
  await database.tx((queries) =>
    trunkStore(queries).put(
      tenantId,
      {
        server: "sip.example.com",
        port: 5060,
        transport: "udp",
        username: "u",
        realm: null,
        outboundProxy: null,
        callerId: "+37052000000",
        register: true,
        createdAt: 0,
        updatedAt: 0,
      },
      (trunkId) => createVault(key).seal("secret", trunkPasswordBinding(trunkId)),
    ),
  );
  await database.close();
  expect(await verdict(secrets, { ...patient, masterKey: () => key })).toContain("ok");
  expect(await verdict(secrets, patient)).toContain("failed: The password of trunk 1");
  expect(await verdict(secrets, { ...patient, masterKey: () => null })).toContain(
    "There is no master key",
  );
  const damaged = () => {
    throw new Error("not a master key");
  };
  expect(await verdict(secrets, { ...patient, masterKey: damaged })).toContain("not a master key");
});
