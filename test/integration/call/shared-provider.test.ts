/** Tenants at one provider: whose call it is. The whole appliance, INVITEs from raw sockets. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type App, startApp } from "../../../src/app.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { buildRequest } from "../../../src/sip/message/index.ts";
import { calls, phoneNumbers } from "../../../src/store/schema/index.ts";
import { applianceSettings } from "../../support/appliance.ts";
import { eventually } from "../../support/eventually.ts";
import { type Registrar, startRegistrar } from "../../support/registrar.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const OURS = "127.0.0.84";
const PROVIDER = "127.0.0.85";
const ELSEWHERE = "127.0.0.86";
const NUMBERS = ["+37052000101", "+37052000102", "+37052000103"] as const;

let app: App;
const registrars: Registrar[] = [];
/** Tenants' ids, in the order of their numbers; the first two are at one provider. */
const tenantIds: number[] = [];

beforeAll(async () => {
  app = await startApp(applianceSettings(tempDir(), OURS), {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  const password = () => "secret";
  const [provider, elsewhere] = [
    await startRegistrar({ host: PROVIDER, password }),
    await startRegistrar({ host: ELSEWHERE, password }),
  ];
  registrars.push(provider, elsewhere);
  for (const [index, number] of NUMBERS.entries()) {
    const at = index < 2 ? provider : elsewhere;
    const tenant = await app.operator.createTenant({
      name: `T${index}`,
      email: `t${index}@example.com`,
      plan: null,
    });
    tenantIds.push(tenant.id);
    await app.database.tx(async (queries) => {
      await queries.insert(phoneNumbers).values({
        tenantId: tenant.id,
        numberE164: number,
        label: null,
        agentId: null,
        inboundEnabled: true,
        createdAt: 0,
      });
    });
    await app.operator.setTrunk({
      tenant: tenant.id,
      server: at.host,
      port: at.port,
      transport: "udp",
      username: `user${index}`,
      password: "secret",
      realm: null,
      outbound_proxy: null,
      channels: null,
      // Nothing in a request names the second trunk but its number.
      caller_id: `+3706000000${index}`,
      register: true,
    });
  }
  await eventually(async () => {
    const trunks = await app.operator.listTrunks();
    return trunks.every(({ status }) => status === "registered");
  }, "the trunks are registered");
});
afterAll(async () => {
  await app.stop();
  for (const registrar of registrars) registrar.close();
});

/** The tenant that the call to `number` from the shared provider was stored for. */
async function tenantCalledFor(number: string): Promise<number | undefined> {
  const callId = `shared-${number}`;
  const port = Number(app.addresses.sip.split(":").at(-1));
  let refused = false;
  const socket = await Bun.udpSocket({
    hostname: PROVIDER,
    port: 0,
    socket: {
      data: (_socket, bytes) => {
        refused ||= bytes.toString().startsWith("SIP/2.0 480");
      },
      error: () => {},
    },
  });
  const invite = buildRequest({
    method: "INVITE",
    uri: `sip:${number}@${OURS}`,
    headers: [
      ["Via", `SIP/2.0/UDP ${PROVIDER};rport;branch=z9hG4bK${callId}`],
      ["From", `<sip:+37061234567@${PROVIDER}>;tag=f`],
      ["To", `<sip:${number}@${OURS}>`],
      ["Call-ID", callId],
      ["CSeq", "1 INVITE"],
      ["Contact", `<sip:raw@${PROVIDER}>`],
      ["Max-Forwards", 70],
    ],
  });
  socket.send(invite, port, OURS);
  await eventually(() => refused, "the call without an agent is refused");
  socket.close();
  let stored: { tenantId: number; sipCallId: string | null } | undefined;
  await eventually(async () => {
    const rows = await app.database.read.select().from(calls);
    stored = rows.find((row) => row.sipCallId === callId);
    return stored !== undefined;
  }, "the call is stored");
  return stored?.tenantId;
}

test("a call goes to the tenant whose number it is, whichever trunk it came in by", async () => {
  expect(await tenantCalledFor(NUMBERS[0])).toBe(tenantIds[0]);
  expect(await tenantCalledFor(NUMBERS[1])).toBe(tenantIds[1]);
});

test("a call never goes to a tenant whose trunk is at another provider", async () => {
  expect(await tenantCalledFor(NUMBERS[2])).not.toBe(tenantIds[2]);
});
