/**
 * `linevoice serve`: the appliance. SIGTERM or SIGINT drains and exits 0; a second one ends live
 * calls politely at once. Tells systemd when it is ready, alive and stopping.
 */

import { settingsFromConfig } from "../app/settings-from-config.ts";
import { prepareDatabase, prepareDataDir } from "../app/storage.ts";
import { startApp } from "../app.ts";
import { masterKeyOf } from "../config/master-key.ts";
import { systemClock as clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { systemRandom as random } from "../core/random.ts";
import { startControlServer } from "../ops/control/server.ts";
import { checkSocketPath } from "../ops/control/socket-path.ts";
import { lockDataDir } from "../ops/data-dir-lock.ts";
import { createLogger } from "../ops/logger.ts";
import { createSystemdNotifier } from "../ops/sd-notify.ts";
import { configFor, controlSocketOf } from "./operator.ts";
import { type Command, parse } from "./usage.ts";
import { version } from "./version.ts";

export const serveCommand: Command = {
  summary: "run the appliance",
  usage: ["serve [--config FILE]"],
  async run(args, terminal) {
    const { values } = parse(args, {}, 0);
    const loaded = configFor(values.config, terminal);
    const { config, dataDir } = loaded;
    checkSocketPath(controlSocketOf(loaded));
    const { level, format, personal_data: personalData } = config.log;
    const log = createLogger({ level, format, personalData });
    const lock = lockDataDir(dataDir);
    const systemd = createSystemdNotifier(terminal.env);
    const signals = stopSignals();
    try {
      const masterKey = masterKeyOf(loaded, random);
      const settings = settingsFromConfig(config, { version, masterKey, dataDir });
      const { database, controlSocket: path } = prepareDataDir(dataDir);
      const { remote = null } = settings.storage;
      const copy = prepareDatabase(dataDir, database, remote);
      if (copy) log.warn("database.copied_before_upgrade", { copy });
      const app = await startApp(settings, { clock, random, log });
      const control = await startControlServer({ path, operator: app.operator, log });
      terminal.out(`API   ${app.addresses.http}`);
      terminal.out(`SIP   ${app.addresses.sip}`);
      terminal.out(`Data  ${dataDir}   (next: linevoice tenant create --name N --email E)`);
      await Promise.race([app.ready(), signals.first]);
      const watchdog =
        systemd.watchdogMs === null
          ? null
          : clock.every(systemd.watchdogMs / 2, () => {
              // A server that is out of reach is no reason to restart: live calls go on.
              (remote ? Promise.resolve() : app.database.ping())
                .then(() => systemd.send("WATCHDOG=1"))
                .catch((error) => log.error("watchdog.starved", { error: describeError(error) }));
            });
      systemd.send("READY=1\nSTATUS=answering calls");

      await signals.first;
      systemd.send("STOPPING=1\nSTATUS=draining");
      log.info("app.draining");
      await Promise.race([app.drain(), signals.second]);
      watchdog?.cancel();
      await control.close();
      await app.stop();
      return 0;
    } finally {
      signals.forget();
      lock.release();
    }
  },
};

function stopSignals() {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = () => {
    count++;
    if (count === 1) first.resolve();
    else second.resolve();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return {
    first: first.promise,
    second: second.promise,
    forget() {
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
    },
  };
}
