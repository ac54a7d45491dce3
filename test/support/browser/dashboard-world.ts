/**
 * A whole appliance for one test file, with a signed-in person of every role, a person of another
 * company, and a webhook receiver. It stops with the file.
 */
import { afterAll, beforeAll } from "bun:test";
import type { Role } from "../../../src/http/contracts/operation.ts";
import { type Appliance, startAppliance } from "../appliance/appliance.ts";
import { type HttpsReceiver, httpsReceiver } from "../net/https-receiver.ts";
import { testCa } from "../net/test-ca.ts";
import { tempDir } from "../temp-dir.ts";
import { browserOf } from "./appliance-browser.ts";
import type { Browser } from "./dashboard-session.ts";

/** From the fewest to the most rights. */
export const ROLES: readonly Role[] = ["viewer", "member", "owner", "operator"];

interface Running {
  readonly world: Appliance;
  readonly receiver: HttpsReceiver;
  readonly stranger: Browser;
  readonly strangerTenant: number;
  readonly people: ReadonlyMap<Role, Browser>;
}

async function start(host: string): Promise<Running> {
  const ca = testCa(tempDir());
  const receiver = await httpsReceiver(ca.issue(["IP:127.0.0.1"]));
  const world = await startAppliance({
    dataDir: tempDir(),
    host,
    settings: (settings) => ({
      ...settings,
      httpClient: { ...settings.httpClient, caPem: ca.caPem },
    }),
  });
  const people = new Map<Role, Browser>();
  for (const role of ROLES)
    people.set(
      role,
      await browserOf(world.app, {
        tenantId: world.tenantId,
        role: role === "operator" ? "viewer" : role,
        operator: role === "operator",
      }),
    );
  const other = await world.app.ask("tenant.create", {
    name: "Another company",
    email: "other@example.com",
    plan: null,
  });
  const stranger = await browserOf(world.app, { tenantId: other.id });
  return { world, receiver, stranger, strangerTenant: other.id, people };
}

/** `host`: a loopback address that no other file uses. */
export function dashboardWorld(host: string) {
  let running: Running | null = null;
  const now = (): Running => {
    if (!running) throw new Error("the appliance starts before the first test");
    return running;
  };

  beforeAll(async () => {
    running = await start(host);
  });
  afterAll(async () => {
    await running?.world.close();
    await running?.receiver.close();
  });

  return {
    get world() {
      return now().world;
    },
    get receiver() {
      return now().receiver;
    },
    get stranger() {
      return now().stranger;
    },
    get strangerTenant() {
      return now().strangerTenant;
    },
    as(role: Role): Browser {
      const browser = now().people.get(role);
      if (!browser) throw new Error(`nobody is ${role}`);
      return browser;
    },
  };
}
