/**
 * The whole appliance with several tenants at one carrier, and INVITEs from raw sockets at the
 * carrier's address. The stored rows show to which tenant a call was assigned. No tenant has an
 * agent, so every assigned call ends as a rejected call of that tenant.
 */

import { type App, startApp } from "../../../src/app/app.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import type { InputOf } from "../../../src/http/contracts/operations.ts";
import { buildRequest, type HeaderInit, parseMessage } from "../../../src/sip/message/index.ts";
import { calls, phoneNumbers } from "../../../src/store/schema/index.ts";
import { applianceSettings } from "../appliance/appliance.ts";
import { eventually } from "../eventually.ts";
import { tempDir } from "../temp-dir.ts";
import { type Registrar, startRegistrar } from "./registrar.ts";

export const PASSWORD = "right";

export interface Inbound {
  /** Request-URI and To. */
  readonly uri: string;
  readonly from?: string;
  /** Source address. Default: the carrier. */
  readonly source?: string;
  /** Destination. Default: the appliance. */
  readonly proxy?: { readonly host: string; readonly port: number };
  readonly headers?: HeaderInit;
}

export type SharedCarrier = Awaited<ReturnType<typeof startSharedCarrier>>;

let lastCall = 0;

/** `ours` and `carrier`: loopback addresses that only this test file uses. */
export async function startSharedCarrier(ours: string, carrier: string, sipPort = 0) {
  const settings = applianceSettings(tempDir(), ours);
  const sip = { ...settings.sip, bind: { host: ours, port: sipPort } };
  const app: App = await startApp(
    { ...settings, sip },
    {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    },
  );
  const registrar: Registrar = await startRegistrar({ host: carrier, password: () => PASSWORD });
  const port = Number(app.addresses.sip.split(":").at(-1));

  return {
    app,
    registrar,
    close: async () => {
      await app.stop();
      registrar.close();
    },

    async tenant(name: string, numbers: readonly string[]): Promise<number> {
      const { id } = await app.ask("tenant.create", {
        name,
        email: `${name.toLowerCase()}@example.com`,
        plan: null,
      });
      await app.database.tx(async (queries) => {
        for (const numberE164 of numbers)
          await queries.insert(phoneNumbers).values({
            tenantId: id,
            numberE164,
            label: null,
            agentId: null,
            inboundEnabled: true,
            createdAt: 0,
          });
      });
      return id;
    },

    /**
     * Creates a trunk at the carrier, registering by default. Waits until it is registered or has
     * failed.
     */
    async trunk(tenant: number, callerId: string, changes: Partial<InputOf<"trunk.set">> = {}) {
      const { id } = await app.ask("trunk.set", {
        tenant,
        server: carrier,
        port: registrar.port,
        transport: "udp",
        username: `user${tenant}`,
        password: PASSWORD,
        realm: null,
        outbound_proxy: null,
        caller_id: callerId,
        register: true,
        channels: null,
        ...changes,
      });
      await eventually(async () => {
        const trunk = (await app.ask("trunk.list", {})).find((each) => each.id === id);
        return trunk !== undefined && !["registering", "unknown"].includes(trunk.status);
      }, "the trunk stands or has failed");
    },

    /** The Contact user of the account's last registration. */
    contactUser(username: string): string {
      const own = registrar.requests.findLast(
        ({ headers }) => headers.get("from")?.includes(`sip:${username}@`) ?? false,
      );
      return /<sip:([0-9a-f]+)@/.exec(own?.headers.get("contact") ?? "")?.[1] ?? "";
    },

    /** Sends the INVITE; resolves with its final code, or null after a timeout. */
    async invite({ uri, from, source = carrier, proxy, headers = [] }: Inbound): Promise<{
      readonly code: number | null;
      readonly callId: string;
    }> {
      const callId = `shared-${++lastCall}`;
      let code: number | null = null;
      const socket = await Bun.udpSocket({
        hostname: source,
        port: 0,
        socket: {
          data: (_socket, bytes) => {
            const message = parseMessage(bytes.toString());
            if (message.kind === "response" && message.statusCode >= 200) code = message.statusCode;
          },
          error: () => {},
        },
      });
      const text = buildRequest({
        method: "INVITE",
        uri,
        headers: [
          ["Via", `SIP/2.0/UDP ${source};rport;branch=z9hG4bK${callId}`],
          ["From", `<${from ?? `sip:+37061234567@${source}`}>;tag=f`],
          ["To", `<${uri}>`],
          ["Call-ID", callId],
          ["CSeq", "1 INVITE"],
          ["Contact", `<sip:raw@${source}>`],
          ["Max-Forwards", 70],
          ...headers,
        ],
      });
      socket.send(text, proxy?.port ?? port, proxy?.host ?? ours);
      for (let waitedMs = 0; waitedMs < 3000 && code === null; waitedMs += 10) await Bun.sleep(10);
      socket.close();
      return { code, callId };
    },

    /** The stored row of that call; undefined if there is none. */
    async stored(callId: string) {
      const rows = await app.database.read.select().from(calls);
      return rows.find((row) => row.sipCallId === callId);
    },

    /** The tenant of the stored call. */
    async tenantOf(callId: string): Promise<number> {
      let tenantId = 0;
      await eventually(async () => {
        tenantId = (await this.stored(callId))?.tenantId ?? 0;
        return tenantId !== 0;
      }, "the call is stored");
      return tenantId;
    },

    callRows: async () => (await app.database.read.select().from(calls)).length,
  };
}
