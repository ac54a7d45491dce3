/** `linevoice doctor`: numbered checks. Each failure names the command that fixes it. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Doctor } from "../app/dashboard.ts";
import { settingsFromConfig } from "../app/settings-from-config.ts";
import { createControlClient, NoServer } from "../control/client.ts";
import { systemClock as clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { systemRandom } from "../core/random.ts";
import type { Ask } from "../http/contracts/operations.ts";
import { ConfigInvalid } from "../ops/config/config-invalid.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { masterKeyOf } from "../ops/config/master-key.ts";
import { closedSecrets, openSecrets } from "../ops/config/open-secrets.ts";
import { plainStore } from "../ops/config/plain-store.ts";
import {
  type Check,
  type CheckResult,
  type CheckStatus,
  type ExaminedAppliance,
  examine,
  type Finding,
  failed,
  ok,
  warning,
} from "../ops/doctor/check.ts";
import { databaseInWorker } from "../ops/doctor/database-check.ts";
import { knowledgeSearch } from "../ops/doctor/embedding-check.ts";
import { engineSelfTest, speechCapacity } from "../ops/doctor/engine-check.ts";
import { modelEnds } from "../ops/doctor/model-check.ts";
import {
  certificate,
  mailProvider,
  ports,
  rtpRange,
  trunkRegistrations,
} from "../ops/doctor/network-checks.ts";
import { packetPriority } from "../ops/doctor/packets-check.ts";
import {
  backupAge,
  clockSanity,
  databaseAndLedger,
  dataDirectory,
  diskRoom,
  fileDescriptors,
  secrets,
} from "../ops/doctor/storage-checks.ts";
import { storedTools } from "../ops/doctor/tool-check.ts";
import { nat, sipAlg, trunkDns } from "../ops/doctor/trunk-checks.ts";
import { ownVoicesCheck } from "../ops/doctor/voices-check.ts";
import { MASTER_KEY_BYTES } from "../platform/secrets/vault.ts";
import { configFor, controlSocketOf } from "./operator.ts";
import { type Command, parse, type Terminal } from "./usage.ts";
import { version } from "./version.ts";

const CONFIGURATION = "configuration";
const OTHER_CHECKS = [
  clockSanity,
  ports,
  rtpRange,
  packetPriority,
  diskRoom,
  fileDescriptors,
  engineSelfTest,
  speechCapacity,
  ownVoicesCheck,
  modelEnds,
  knowledgeSearch,
  storedTools,
  trunkRegistrations,
  trunkDns,
  nat,
  sipAlg,
  mailProvider,
  certificate,
  backupAge,
];
const CHECKS = [dataDirectory, databaseAndLedger, secrets, ...OTHER_CHECKS];
/**
 * No check of the secrets: a server can only start with the right key, and the key file may have
 * changed since.
 */
const RESIDENT_CHECKS = [dataDirectory, databaseInWorker, ...OTHER_CHECKS];

const SIGNS: Readonly<Record<CheckStatus, string>> = {
  ok: "ok",
  warning: "!!",
  failed: "NO",
  skipped: "--",
};

export const doctorCommand: Command = {
  usage: ["doctor [--json]"],
  async run(args, terminal) {
    const { values } = parse(args, {}, 0);
    const configuration = examineConfiguration(values.config, terminal);
    const first = { number: 1, name: CONFIGURATION, ...configuration.finding };
    const { loaded } = configuration;
    const checks = loaded ? [first, ...(await examineRest(loaded))] : [first];
    const isHealthy = checks.every(({ result }) => result !== "failed");
    if (values.json) terminal.out(JSON.stringify({ ok: isHealthy, checks }));
    else for (const check of checks) for (const line of inWords(check)) terminal.out(line);
    return isHealthy ? 0 : 1;
  },
};

function examineConfiguration(
  path: string | undefined,
  terminal: Terminal,
): { readonly finding: Finding; readonly loaded: LoadedConfig | null } {
  try {
    const loaded = configFor(path, terminal);
    const masterKey = new Uint8Array(MASTER_KEY_BYTES);
    settingsFromConfig(loaded.config, { version, masterKey, dataDir: loaded.dataDir });
    const valid = ok(`${loaded.file ?? "The built-in defaults"}: valid.`);
    return {
      finding: openToOthers(loaded) ?? storeInClear(loaded) ?? closedToService(loaded) ?? valid,
      loaded,
    };
  } catch (error) {
    const what = error instanceof ConfigInvalid ? error.problems.join(" ") : describeError(error);
    return { finding: failed(what, "Correct it, then: linevoice config check"), loaded: null };
  }
}

function openToOthers(loaded: LoadedConfig): Finding | null {
  const open = openSecrets(loaded);
  return open && failed(open.finding, open.remedy);
}

function storeInClear(loaded: LoadedConfig): Finding | null {
  const plain = plainStore(loaded);
  return plain && warning(plain.finding, plain.remedy);
}

function closedToService(loaded: LoadedConfig): Finding | null {
  const closed = closedSecrets(loaded);
  return closed && warning(closed.finding, closed.remedy);
}

async function examineRest(loaded: LoadedConfig): Promise<CheckResult[]> {
  const control = createControlClient(controlSocketOf(loaded));
  const trunks = await control.ask("trunk.list", {}).catch((error: unknown) => {
    if (error instanceof NoServer) return null;
    throw error;
  });
  return await examine(CHECKS, applianceOf(loaded, trunks, control.ask), 2);
}

const TESTED_TRUNKS_MAX = 20;

/** Tests all trunks in parallel, once for all checks. Skips trunks that cannot be tested. */
function askTrunks(
  trunks: NonNullable<ExaminedAppliance["trunks"]>,
  ask: Ask,
): NonNullable<ExaminedAppliance["trunkTests"]> {
  const test = (trunk: number) => ask("trunk.test", { trunk, calls: false });
  let pendingTests: ReturnType<NonNullable<ExaminedAppliance["trunkTests"]>> | null = null;
  return () => {
    pendingTests ??= Promise.all(
      trunks.slice(0, TESTED_TRUNKS_MAX).map(({ id }) => test(id).catch(() => null)),
    ).then((tests) => tests.filter((each) => each !== null));
    return pendingTests;
  };
}

function keyBeside({ file }: LoadedConfig): string | null {
  const key = file === null ? null : join(dirname(file), "credentials/secrets.master_key");
  return key !== null && existsSync(key) ? key : null;
}

function applianceOf(
  loaded: LoadedConfig,
  trunks: ExaminedAppliance["trunks"],
  ask: Ask,
): ExaminedAppliance {
  const { config, dataDir } = loaded;
  const isThere = config.secrets.master_key !== null || existsSync(join(dataDir, "master.key"));
  const masterKey = () => (isThere ? masterKeyOf(loaded, systemRandom) : null);
  const databasePath = `${dataDir}/linevoice.db`;
  const trunkTests = trunks === null ? {} : { trunkTests: askTrunks(trunks, ask) };
  const unusedKeyFile = config.secrets.master_key === null ? keyBeside(loaded) : null;
  return { config, dataDir, databasePath, trunks, ...trunkTests, masterKey, unusedKeyFile, clock };
}

/**
 * The same checks inside the running server, for the operator's dashboard. They do not block its
 * thread.
 */
export function residentDoctor(loaded: LoadedConfig): Doctor {
  // The server has started, so its configuration was valid.
  const configuration: Check = {
    name: CONFIGURATION,
    run: () => openToOthers(loaded) ?? ok("No secret is in a file that others can read."),
  };
  const checks = [configuration, ...RESIDENT_CHECKS];
  let examination: Promise<CheckResult[]> | null = null;
  return (ask) => {
    examination ??= ask("trunk.list", {})
      .then((trunks) => examine(checks, applianceOf(loaded, trunks, ask), 1))
      .finally(() => {
        examination = null;
      });
    return examination;
  };
}

function inWords({ number, name, result, finding, remedy }: CheckResult): string[] {
  const line = `${String(number).padStart(2)}. ${SIGNS[result]}  ${name.padEnd(15)} ${finding}`;
  return remedy === null ? [line] : [line, `${" ".repeat(24)}→ ${remedy}`];
}
