/**
 * `linevoice serve`: the appliance. SIGTERM or SIGINT drains and exits with 0; a second one ends
 * live calls with a goodbye; SIGHUP reads the configuration again. Notifies systemd when it is
 * ready, alive and stopping.
 */

import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type App, startApp } from "../app/app.ts";
import type { Doctor } from "../app/dashboard.ts";
import type { PhoneProgram } from "../app/rehearsal-process.ts";
import type { AppSettings } from "../app/settings.ts";
import { settingsFromConfig } from "../app/settings-from-config.ts";
import { prepareDatabase, prepareDataDir } from "../app/storage.ts";
import { startControlServer } from "../control/server.ts";
import { checkSocketPath } from "../control/socket-path.ts";
import { systemClock as clock, type Timer } from "../core/clock.ts";
import { AppError, describeError } from "../core/errors.ts";
import { ListenError } from "../core/listen-error.ts";
import type { Log } from "../core/log.ts";
import { systemRandom as random } from "../core/random.ts";
import type { Services } from "../features/appliance/services.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { withMasterKey } from "../ops/config/master-key.ts";
import { logConfigWarnings } from "../ops/config/open-secrets.ts";
import { logPlainStore } from "../ops/config/plain-store.ts";
import { awaitDataDir } from "../ops/data-dir-lock.ts";
import { createLogger } from "../ops/logger.ts";
import { releaseStartupPages } from "../ops/release-startup-pages.ts";
import { createSystemdNotifier, type SystemdNotifier } from "../ops/sd-notify.ts";
import { surviveUncaughtErrors } from "../ops/uncaught-errors.ts";
import { raiseSignalling } from "../platform/threads/priority.ts";
import { requireVectorInstructions } from "./cpu-check.ts";
import { withoutJit } from "./disable-jit.ts";
import { configFor, controlSocketOf } from "./operator.ts";
import { reloadConfig } from "./reload.ts";
import { type Command, PHONES, parse, type Terminal } from "./usage.ts";
import { version } from "./version.ts";

const DRAIN_MS_MAX = 3_600_000;
const EXTENSION_EVERY_MS = 10_000;
const EXTENSION_MS = 30_000;
/** Time after READY until start-up memory is released. */
const SETTLED_AFTER_MS = 1_000;
const OWNER_LINK_EVERY_MS = 86_400_000;

export const serveCommand: Command = {
  usage: ["serve [--config FILE]"],
  async run(args, terminal) {
    const { values } = parse(args, {}, 0);
    requireVectorInstructions();
    return await serve(() => configFor(values.config, terminal), terminal);
  },
};

/** Resolves with the exit status when it has drained. */
async function serve(load: () => LoadedConfig, terminal: Terminal): Promise<number> {
  const loaded = load();
  const { config, dataDir } = loaded;
  checkSocketPath(controlSocketOf(loaded));
  const { level, format, personal_data: personalData } = config.log;
  const log = createLogger({ level, format, personalData });
  const lock = await awaitDataDir(dataDir, "server");
  let inForce = loaded;
  const systemd = createSystemdNotifier(terminal.env);
  const signals = stopSignals();
  const uncaught = surviveUncaughtErrors(log, clock);
  try {
    const { app, control, masterKey } = await withMasterKey(loaded, random, async (masterKey) => {
      const settings = settingsFromConfig(config, { version, masterKey, dataDir });
      return { ...(await startListening(settings, loaded, log, () => inForce)), masterKey };
    });
    await announce(app, dataDir, terminal);
    await extendingStart(systemd, Promise.race([app.ready(), signals.first]));
    const watchdog =
      systemd.watchdogMs === null
        ? null
        : clock.every(systemd.watchdogMs / 3, () => void feedWatchdog(app, systemd, log));
    signals.onHangUp(() => {
      systemd.send("RELOADING=1");
      const reload = reloadConfig({
        started: loaded,
        before: inForce,
        masterKey,
        version,
        log,
        load,
        retune: (tuning) => app.retune(tuning),
      });
      if (reload) inForce = reload.loaded;
      systemd.send("READY=1");
    });
    systemd.send("READY=1\nSTATUS=answering calls");
    const settling = clock.after(SETTLED_AFTER_MS, () => {
      if (app.liveCalls() === 0) releaseStartupPages();
    });

    await signals.first;
    systemd.send("STOPPING=1\nSTATUS=draining");
    log.info("app.draining");
    const stopExtension = extendStopTimeout(app, systemd);
    await Promise.race([app.drain(), signals.second]);
    stopExtension.cancel();
    settling.cancel();
    watchdog?.cancel();
    await control.close();
    await app.stop();
    return 0;
  } finally {
    uncaught.forget();
    signals.forget();
    lock.release();
  }
}

async function announce(app: App, dataDir: string, terminal: Terminal): Promise<void> {
  terminal.out(`API   ${app.addresses.http}`);
  terminal.out(`SIP   ${app.addresses.sip}`);
  await announceOwnerLink(app.services.identity.setup, dataDir, terminal);
  terminal.out(`Data  ${dataDir}   (next: linevoice tenant create --name N --email E)`);
}

/**
 * The link makes an operator, so only a terminal shows it, never a log. Without a terminal it is in
 * a file for the service's user. At most one is created per day, so that restarts do not accumulate
 * valid links.
 */
async function announceOwnerLink(
  setup: App["services"]["identity"]["setup"],
  dataDir: string,
  terminal: Terminal,
): Promise<void> {
  const file = join(dataDir, "owner-link");
  if (!(await setup.needed())) return rmSync(file, { force: true });
  const madeAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (clock.now() - madeAt < OWNER_LINK_EVERY_MS) {
    terminal.out("Owner nobody yet   (new link: linevoice setup)");
    return;
  }
  const { url } = await setup.ownerLink();
  rmSync(file, { force: true });
  writeFileSync(file, terminal.isInteractive ? "" : `${url}\n`, { mode: 0o600 });
  const where = terminal.isInteractive ? url : `see ${file}`;
  terminal.out(`Owner ${where}   (valid once, for 30 minutes; new link: linevoice setup)`);
}

/**
 * The control socket listens first and answers after the appliance has started. So if the API
 * answers, the socket answers, too.
 */
async function startListening(
  settings: AppSettings,
  loaded: LoadedConfig,
  log: Log,
  inForce: () => LoadedConfig,
) {
  raiseSignalling();
  logConfigWarnings(loaded, log);
  logPlainStore(loaded, log);
  const { dataDir } = loaded;
  const { database, controlSocket: path } = prepareDataDir(dataDir);
  const services = Promise.withResolvers<Services>();
  const control = await startControlServer({ path, services: services.promise, log });
  try {
    const copy = prepareDatabase(dataDir, database, settings.storage.remote ?? null);
    if (copy) log.warn("database.copied_before_upgrade", { copy });
    const given = { clock, random, log, phones: phonesOf(inForce), doctor: doctorOnDemand(loaded) };
    const app = await withoutJit(() => startApp(settings, given));
    services.resolve(app.services);
    return { app, control };
  } catch (error) {
    services.reject(error);
    await control.close();
    throw error instanceof ListenError ? inConfiguration(error, loaded.file) : error;
  }
}

/**
 * Adds the configuration file and a line to change, so that the server can start despite the
 * conflicting port.
 */
function inConfiguration({ publicMessage, remedy, cause }: ListenError, file: string | null) {
  const where = file ?? "linevoice.toml";
  const what = remedy === null ? `The key is in ${where}.` : `For example, in ${where}: ${remedy}`;
  return new AppError({ code: "unavailable", publicMessage: `${publicMessage} ${what}`, cause });
}

/**
 * Command line of this program for rehearsals; when run from source, the entry file is an argument.
 */
const phonesOf = (inForce: () => LoadedConfig): PhoneProgram => ({
  command: [process.execPath, ...(Bun.main.endsWith(".ts") ? [Bun.main] : []), PHONES],
  sections: () => inForce().config,
});

/**
 * Loads the doctor on first use, because it imports codecs and providers that the main thread does
 * not need.
 */
function doctorOnDemand(loaded: LoadedConfig): Doctor {
  let called: Promise<Doctor> | null = null;
  return async (ask) => {
    called ??= import("./doctor.ts").then(({ residentDoctor }) => residentDoctor(loaded));
    return await (await called)(ask);
  };
}

/**
 * Extends systemd's start timeout until the workers are ready or fail: they have their own time
 * limit.
 */
async function extendingStart(systemd: SystemdNotifier, ready: Promise<void>): Promise<void> {
  const extension = clock.every(EXTENSION_EVERY_MS, () =>
    systemd.send(`EXTEND_TIMEOUT_USEC=${EXTENSION_MS * 1000}\nSTATUS=starting the media engine`),
  );
  await ready.finally(() => extension.cancel());
}

/** Extends systemd's stop timeout while calls are live, for at most an hour. */
function extendStopTimeout(app: App, systemd: SystemdNotifier): Timer {
  const until = clock.monotonic() + DRAIN_MS_MAX;
  return clock.every(EXTENSION_EVERY_MS, () => {
    if (clock.monotonic() > until) return;
    systemd.send(
      `EXTEND_TIMEOUT_USEC=${EXTENSION_MS * 1000}\nSTATUS=draining, ${app.liveCalls()} live calls`,
    );
  });
}

/**
 * Feeds the watchdog only while media, SIP and the database respond. Otherwise systemd restarts the
 * server.
 */
async function feedWatchdog(app: App, systemd: SystemdNotifier, log: Log): Promise<void> {
  try {
    const stuck = await app.health.stuck();
    if (stuck.length === 0) systemd.send("WATCHDOG=1");
    else log.error("watchdog.starved", { stuck: stuck.join(" ") });
  } catch (error) {
    log.error("watchdog.starved", { error: describeError(error) });
  }
}

function stopSignals() {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = () => {
    count++;
    if (count === 1) first.resolve();
    else second.resolve();
  };
  let hungUp = false;
  let hangUp: (() => void) | null = null;
  const onHangUp = () => {
    if (hangUp) hangUp();
    else hungUp = true;
  };
  process.on("SIGHUP", onHangUp);
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return {
    first: first.promise,
    second: second.promise,
    /** If a SIGHUP arrived during the start, the listener is called immediately. */
    onHangUp(listener: () => void) {
      hangUp = listener;
      if (hungUp) listener();
    },
    forget() {
      process.off("SIGHUP", onHangUp);
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
    },
  };
}
