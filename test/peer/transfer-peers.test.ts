/**
 * Transfers with independent phones: baresip follows a REFER through kamailio to a third phone and is heard there;
 * sipp accepts REFER and reports its outcome. Takes about a minute.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type App, startApp } from "../../src/app/app.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { createDemoApi, type DemoApi } from "../../src/demo/api-client.ts";
import { applianceSettings } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { createPhone, type Phone } from "../support/media/phone/phone.ts";
import { tone, toneShare } from "../support/media/phone.ts";
import { requirePeer } from "../support/peers.ts";
import { type Baresip, startBaresip } from "../support/sip/baresip.ts";
import { type Kamailio, startKamailio } from "../support/sip/kamailio.ts";
import { startSipp } from "../support/sip/sipp.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROVIDER = "127.0.32.1";
const APPLIANCE = "127.0.32.2";
const TELEPHONE = "127.0.32.20";
const DESK = "127.0.32.21";
const SIPP = "127.0.32.30";
const OUR_NUMBER = "+37061001001";
const DESK_NUMBER = "+37061001003";
const SIPP_NUMBER = "+37061001009";
const BARESIP_HZ = 700;
const DESK_HZ = 1_100;

const missing = (["kamailio", "baresip", "sipp"] as const).map((name) => requirePeer(name));

interface Ended {
  readonly ended_at: string | null;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly transfers: readonly unknown[];
}

describe.skipIf(missing.includes(false))("transfers with independent phones", () => {
  let kamailio: Kamailio;
  let baresip: Baresip;
  let desk: Phone;
  let app: App;
  let api: DemoApi;
  let tenantId = 0;

  beforeAll(async () => {
    kamailio = await startKamailio(PROVIDER);
    app = await startApp(applianceSettings(tempDir(), APPLIANCE), {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    });
    await app.ready();
    const tenant = await app.ask("tenant.create", {
      name: "Dental clinic",
      email: "desk@example.com",
      plan: null,
    });
    tenantId = tenant.id;
    const key = await app.ask("key.create", { tenant: tenant.id, label: "test" });
    api = createDemoApi(`${app.addresses.http}/api/v1`, key.secret, systemClock);
    const { agent } = await api.post<{ agent: { id: number } }>("/agents", {
      name: "Reception",
      prompt: "You answer for a dental clinic.",
      first_message: "Good afternoon, this is the dental clinic.",
    });
    const number = { number_e164: OUR_NUMBER, label: "Desk", agent_id: agent.id };
    await api.post("/phone-numbers", number);
    await setTrunk({ server: "provider.test", username: "1001", register: true });
    await eventually(
      async () => (await app.ask("trunk.list", {}))[0]?.status === "registered",
      "the trunk registers",
    );
    const account = { username: "1003", password: "pw1003" };
    const proxy = { host: PROVIDER, port: kamailio.port };
    const line = { number: "1003", domain: "provider.test", host: DESK, proxy, account };
    desk = await createPhone(line);
    await desk.register();
    baresip = await startBaresip({
      host: TELEPHONE,
      provider: { host: PROVIDER, port: kamailio.port },
      user: "1002",
      password: "pw1002",
      microphone: tone(BARESIP_HZ, 20_000),
    });
  }, 60_000);

  afterAll(async () => {
    await desk?.close();
    await baresip?.stop();
    await app?.stop();
    await kamailio?.stop();
  });

  const setTrunk = (trunk: { server: string; username: string; register: boolean }) =>
    app.ask("trunk.set", {
      tenant: tenantId,
      port: 5060,
      transport: "udp",
      password: `pw${trunk.username}`,
      realm: null,
      channels: null,
      outbound_proxy: trunk.register ? `${PROVIDER}:5060` : null,
      caller_id: OUR_NUMBER,
      ...trunk,
    });

  async function ended(callUuid: string): Promise<Ended> {
    let call: Ended | null = null;
    await eventually(async () => {
      const body = await api.get<{ call: Ended }>(`/calls/${callUuid}`);
      call = body.call;
      return call.ended_at !== null;
    }, "the call ends");
    return call ?? Promise.reject(new Error("no call"));
  }

  async function newest(): Promise<string> {
    const { calls } = await api.get<{ calls: { call_uuid: string; status: string }[] }>("/calls");
    return calls.find((call) => call.status === "in_progress")?.call_uuid ?? "";
  }

  test(
    "baresip follows our REFER through kamailio; both phones hear each other, and our leg has ended",
    async () => {
      const before = baresip.events.length;
      baresip.dial(`sip:${OUR_NUMBER}@provider.test`);
      await baresip.event("CALL_ESTABLISHED", before);
      await eventually(async () => (await newest()) !== "", "the call is in progress");
      const callUuid = await newest();
      desk.onCall((incoming) => incoming.answer());
      await api.post(`/calls/${callUuid}/transfer`, { to: DESK_NUMBER });
      expect(await ended(callUuid)).toMatchObject({
        status: "completed",
        ended_reason: "transferred",
        transfers: [{ to: DESK_NUMBER, method: "refer", outcome: "transferred", sip_code: 200 }],
      });
      const active = () => desk.calls.find((call) => call.state === "active");
      await eventually(() => active() !== undefined, "the desk talks");
      const person = active();
      await person?.play(tone(DESK_HZ, 1_500));
      await Bun.sleep(1_000);
      expect(toneShare(person?.received() ?? new Int16Array(0), BARESIP_HZ)).toBeGreaterThan(0.9);
      const closed = baresip.events.length;
      await person?.hangUp();
      await baresip.event("CALL_CLOSED", closed);
      expect(toneShare(baresip.received(), DESK_HZ)).toBeGreaterThan(0.9);
    },
    spoken(60_000),
  );

  test(
    "sipp accepts REFER and hangs up without a NOTIFY: the call was transferred",
    async () => {
      await setTrunk({ server: SIPP, username: "peer", register: false });
      const sipp = startSipp({ scenario: "uas_refer_bye.xml", host: SIPP });
      const { call_uuid } = await api.post<{ call_uuid: string }>("/calls", {
        to_number: SIPP_NUMBER,
      });
      await eventually(async () => (await newest()) === call_uuid, "sipp has answered");
      await api.post(`/calls/${call_uuid}/transfer`, { to: DESK_NUMBER });
      expect(await ended(call_uuid)).toMatchObject({
        ended_reason: "transferred",
        transfers: [{ method: "refer", outcome: "transferred" }],
      });
      expect((await sipp.finished).exitCode).toBe(0);
    },
    spoken(60_000),
  );

  test.each([
    ["200 OK", { ended_reason: "transferred", status: "completed" }, "transferred"],
    ["486 Busy Here", { status: "completed" }, "busy"],
  ] as const)(
    "sipp accepts REFER and its NOTIFY has %s: the call's details show that",
    async (result, expected, outcome) => {
      await setTrunk({ server: SIPP, username: "peer", register: false });
      const sipp = startSipp({ scenario: "uas_refer.xml", host: SIPP, keys: { result } });
      const { call_uuid } = await api.post<{ call_uuid: string }>("/calls", {
        to_number: SIPP_NUMBER,
      });
      await eventually(async () => (await newest()) === call_uuid, "sipp has answered");
      await api.post(`/calls/${call_uuid}/transfer`, { to: DESK_NUMBER });
      if (outcome === "busy") {
        await eventually(async () => {
          const { call } = await api.get<{ call: Ended }>(`/calls/${call_uuid}`);
          return call.transfers.length > 0;
        }, "the transfer has failed");
        await api.post(`/calls/${call_uuid}/hangup`, {});
      }
      const call = await ended(call_uuid);
      expect(call).toMatchObject({
        ...expected,
        transfers: [{ method: "refer", outcome, sip_code: Number.parseInt(result, 10) }],
      });
      expect((await sipp.finished).exitCode).toBe(0);
    },
    spoken(60_000),
  );

  test(
    "a briefed transfer over a carrier with Replaces: bridged first, then the carrier joins both and our leg ends",
    async () => {
      await setTrunk({ server: SIPP, username: "peer", register: false });
      const sipp = startSipp({ scenario: "uas_warm.xml", host: SIPP, calls: 2 });
      const { call_uuid } = await api.post<{ call_uuid: string }>("/calls", {
        to_number: SIPP_NUMBER,
      });
      await eventually(async () => (await newest()) === call_uuid, "sipp has answered");
      const wish = { to: DESK_NUMBER, briefing: "A patient wants to come." };
      await api.post(`/calls/${call_uuid}/transfer`, wish);
      expect(await ended(call_uuid)).toMatchObject({
        status: "completed",
        ended_reason: "transferred",
        transfers: [{ to: DESK_NUMBER, method: "bridge", outcome: "transferred" }],
      });
      expect(await sipp.finished).toEqual({ exitCode: 0, errors: "" });
    },
    spoken(60_000),
  );
});
