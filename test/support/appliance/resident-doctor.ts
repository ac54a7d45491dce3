/** The real doctor of a test's appliance, run once however often its page is opened. */
import { join } from "node:path";
import type { Doctor } from "../../../src/app/dashboard.ts";
import { residentDoctor } from "../../../src/cli/doctor.ts";
import { loadConfig } from "../../../src/ops/config/load.ts";

/**
 * `host`: address of the appliance on the data directory. Its checks send nothing to other hosts.
 */
export async function doctorOf(dataDir: string, host: string): Promise<Doctor> {
  const path = join(dataDir, "linevoice.toml");
  await Bun.write(
    path,
    `[server]
listen = "${host}:0"
metrics_listen = ""
[sip]
bind = "${host}:0"
external_ip = "${host}"
[storage]
data_dir = "${dataDir}"
`,
  );
  const doctor = residentDoctor(loadConfig({ path, env: {}, cwd: dataDir }));
  let examined: ReturnType<Doctor> | null = null;
  return (operator) => {
    examined ??= doctor(operator);
    return examined;
  };
}
