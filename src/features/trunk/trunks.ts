/**
 * Creates, replaces, removes and tests trunks, for owners and the operator. Dashboard and command line share
 * the rules. Only the operator may use addresses in the appliance's own network.
 */
import { isIP } from "node:net";
import { EXTRA_NETWORKS_MAX, type RegistrationStatus } from "../../call/sip-port.ts";
import { callNoticeStore } from "../../call/store/call-notice-store.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { isE164 } from "../../core/e164.ts";
import { AppError, conflict, invalidField, notFound } from "../../core/errors.ts";
import { hostPortText, isHost, parseHostPort } from "../../platform/config/formats.ts";
import { AddressRules } from "../../platform/net/address-rules.ts";
import { assessTrunk, type TrunkCheck, type TrunkFacts } from "../../sip/trunk-checks.ts";
import { type Country, countryOf } from "../number/national-form.ts";
import type { TrunkInput } from "./trunk-schema.ts";
import { shownPort, type TrunkRecord, trunkPasswordBinding, trunkStore } from "./trunk-store.ts";

/** A stored trunk and its state. */
export interface TrunkState {
  readonly trunk: TrunkRecord;
  /** The transport's default port if none is given; 0: DNS decides. */
  readonly port: number;
  /** null: the trunk does not run here. */
  readonly registration: RegistrationStatus | null;
}

export interface TrunkTest extends TrunkState {
  /** The worst result of the checks; `unknown` counts as `ok`. */
  readonly result: "ok" | "warning" | "failed";
  readonly checks: readonly TrunkCheck[];
  /** The test that is running; null: all tests are finished. */
  readonly pending: "options" | "call" | null;
  /** Final code of OPTIONS; null: no answer. */
  readonly optionsCode: number | null;
  readonly roundTripMs: number | null;
  /** `host:port` on this machine; in the Contact header; and as the far end sees it. */
  readonly localAddress: string;
  readonly advertisedAddress: string;
  readonly seenAs: string | null;
  readonly codecs: readonly string[] | null;
}

/** Trunks of a running server. */
export interface RunningTrunks {
  registration(trunkId: number): RegistrationStatus | null;
  /** Tests the far end; null: the trunk does not run. `onProgress` gets intermediate results. */
  probe(
    trunkId: number,
    options: { readonly calls: boolean; onProgress?(facts: TrunkFacts): void },
  ): Promise<TrunkFacts | null>;
  /** Call this after a trunk was stored. */
  reload(tenantId: number): Promise<void>;
  remove(trunkId: number): Promise<void>;
}

interface TrunksDependencies {
  readonly database: Database;
  readonly vault: { seal(plain: string, binding: string): string };
  /** null: no server runs on this data directory. */
  readonly running: RunningTrunks | null;
  /** `[sip] allow_networks`: networks that owners may use in addition to the public network. */
  readonly allowNetworks: readonly string[];
  readonly clock: Clock;
}

export { shownPort };

export type Trunks = ReturnType<typeof createTrunks>;

export function createTrunks(deps: TrunksDependencies) {
  const { database, running } = deps;
  const { put, allow } = createTrunkWriter(deps);
  const reads = createTrunkReads(deps);
  const { stateOf, found } = reads;
  return {
    ...reads,
    ...createTrunkTests(deps, reads),

    /**
     * Throws valid_password_required if the trunk would register without a password, and forbidden if an
     * owner creates or replaces a peering.
     */
    async set(tenantId: number, input: TrunkInput, asOperator = false): Promise<TrunkState> {
      const trunk = await put(tenantId, input, asOperator);
      await running?.reload(tenantId);
      return stateOf(trunk);
    },

    /**
     * Accepts calls from an unknown source for this trunk. Throws not_found, and conflict if there are too
     * many sources.
     */
    async allow(tenantId: number, address: string): Promise<TrunkState> {
      await allow(await found(tenantId), address);
      await running?.reload(tenantId);
      return stateOf(await found(tenantId));
    },

    /** Throws not_found, and forbidden if an owner removes a peering. */
    async remove(tenantId: number, asOperator: boolean): Promise<void> {
      const trunk = await found(tenantId);
      if (!asOperator && !trunk.register) throw operatorsPeering();
      await database.tx((queries) => trunkStore(queries).remove(tenantId));
      await running?.remove(trunk.id);
    },
  };
}

function createTrunkReads({ database, running }: TrunksDependencies) {
  const stateOf = (trunk: TrunkRecord): TrunkState => ({
    trunk,
    port: shownPort(trunk),
    registration: running?.registration(trunk.id) ?? null,
  });
  return {
    stateOf,

    /** Throws not_found. */
    async found(tenantId: number): Promise<TrunkRecord> {
      const trunk = await trunkStore(database.read).find(tenantId);
      if (!trunk) throw notFound("trunk");
      return trunk;
    },

    /** Trunks of all tenants, or of the given ones. */
    async list(tenantIds?: readonly number[]): Promise<TrunkState[]> {
      return (await trunkStore(database.read).all(tenantIds)).map(stateOf);
    },

    /** null: the tenant has none. */
    async get(tenantId: number): Promise<TrunkState | null> {
      const trunk = await trunkStore(database.read).find(tenantId);
      return trunk ? stateOf(trunk) : null;
    },

    /** Country of the trunk's caller ID; null: unknown. */
    async country(tenantId: number): Promise<Country | null> {
      const trunk = await trunkStore(database.read).find(tenantId);
      return trunk ? countryOfCallerId(trunk) : null;
    },

    /** Unanswered calls and numbers claimed by two tenants, of all tenants, newest first. */
    notices: (limit: number) => callNoticeStore(database.read).all(limit),

    /** Foreign addresses that used the trunk's Contact user, newest first. */
    async unknownSources(tenantId: number): Promise<string[]> {
      const sources = await callNoticeStore(database.read).list(tenantId, "unknown_source");
      return sources.map(({ subject }) => subject);
    },
  };
}

function createTrunkTests(
  { database, running }: TrunksDependencies,
  { stateOf, found }: ReturnType<typeof createTrunkReads>,
) {
  async function ask(
    trunk: TrunkRecord,
    calls: boolean,
    silence: string,
    onProgress?: (test: TrunkTest) => void,
  ): Promise<TrunkTest> {
    const testOf = (facts: TrunkFacts): TrunkTest => ({
      ...stateOf(trunk),
      registration: facts.registration,
      ...answersOf(facts),
    });
    const facts =
      running &&
      (await running.probe(trunk.id, {
        calls,
        onProgress: (sofar) => onProgress?.(testOf(sofar)),
      }));
    if (!facts) throw new AppError({ code: "unavailable", publicMessage: silence });
    return testOf(facts);
  }
  return {
    /** `onProgress` gets intermediate results. Throws not_found, unavailable. */
    testOf: async (tenantId: number, onProgress?: (test: TrunkTest) => void): Promise<TrunkTest> =>
      ask(
        await found(tenantId),
        true,
        "The trunk is not running on this server. See the server's log for the reason.",
        onProgress,
      ),

    /** Takes at most 18 s. `calls` false: no test call. Throws not_found, unavailable. */
    async test(trunkId: number, calls: boolean): Promise<TrunkTest> {
      const trunk = (await trunkStore(database.read).all()).find(({ id }) => id === trunkId);
      if (!trunk) throw notFound("trunk");
      return ask(
        trunk,
        calls,
        "The trunk could not be started. See the server's log for the reason.",
      );
    },
  };
}

/** All fields of a trunk in the stored format. */
type Draft = Omit<TrunkInput, "password" | "extraNetworks" | "port"> & { readonly port: number };

/** Checks the rules of a trunk and stores it. */
function createTrunkWriter({ database, vault, allowNetworks, clock }: TrunksDependencies) {
  const rules = new AddressRules(allowNetworks);

  async function store(
    queries: Queries,
    tenantId: number,
    { password, extraNetworks, port = 0, ...given }: TrunkInput,
    asOperator: boolean,
  ): Promise<TrunkRecord> {
    const draft: Draft = { ...given, port, server: given.server.replace(/^\[|\]$/g, "") };
    const nowMs = clock.now();
    const trunks = trunkStore(queries);
    const stored = await trunks.find(tenantId);
    const isSame = stored !== undefined && isSamePlace(stored, draft);
    const setByOperator = asOperator || (isSame && stored.setByOperator);
    checkInput(draft, setByOperator ? null : rules);
    if (!asOperator) checkPeering(stored, draft);
    if (!asOperator) checkCountry(stored, draft, password);
    checkPassword(stored, draft, password);
    // After a change of the server, its old additional addresses are no longer valid.
    const networks =
      extraNetworks === undefined
        ? stored && !isSame
          ? { extraNetworks: null }
          : {}
        : { extraNetworks: extraNetworks.length > 0 ? extraNetworks : null };
    return trunks.put(
      tenantId,
      { ...draft, ...networks, setByOperator, createdAt: nowMs, updatedAt: nowMs },
      (id) =>
        password === undefined && stored
          ? stored.passwordSealed
          : vault.seal(password ?? "", trunkPasswordBinding(id)),
    );
  }

  return {
    put: (tenantId: number, input: TrunkInput, asOperator: boolean): Promise<TrunkRecord> =>
      database.tx((queries) => store(queries, tenantId, input, asOperator)),

    async allow({ tenantId, extraNetworks }: TrunkRecord, address: string): Promise<void> {
      const networks = [...new Set([...(extraNetworks ?? []), address])];
      if (networks.length > EXTRA_NETWORKS_MAX)
        throw conflict(
          `A trunk can have at most ${EXTRA_NETWORKS_MAX} further addresses. Ask the operator to allow a network instead.`,
        );
      await database.tx(async (queries) => {
        if (!(await callNoticeStore(queries).remove(tenantId, "unknown_source", address)))
          throw notFound("address");
        await trunkStore(queries).allowNetworks(tenantId, networks);
      });
    },
  };
}

/** `rules` null: the operator set the address, so all are allowed. */
function checkInput(
  { server, outboundProxy, register, username }: Draft,
  rules: AddressRules | null,
) {
  if (!isHost(server)) throw invalidField("server", "`server` must be a host name or IP address.");
  if (isForbidden(server, rules)) throw invalidField("server", notAllowed("server"));
  if (outboundProxy !== null) {
    const proxy = parseHostPort(outboundProxy)?.host ?? outboundProxy;
    if (!isHost(proxy))
      throw invalidField("outbound_proxy", "`outbound_proxy` must be host or host:port.");
    if (isForbidden(proxy, rules))
      throw invalidField("outbound_proxy", notAllowed("outbound_proxy"));
  }
  if (register && username === "")
    throw invalidField("username", "`username` is required if the trunk registers.");
}

/** Host names are checked by the same rules when the trunk resolves them. */
function isForbidden(host: string, rules: AddressRules | null): boolean {
  const literal = host.replace(/^\[|\]$/g, "");
  return rules !== null && isIP(literal) !== 0 && !rules.check(literal).allowed;
}

const notAllowed = (field: string) =>
  `Trunks cannot use the address in \`${field}\`. For a server in your own network, ask the operator to add that network to [sip] allow_networks.`;

/**
 * A peering accepts calls from an address without a password. A tenant with a peering at another tenant's
 * carrier could take that tenant's calls. So only the operator creates, replaces or removes a peering; its
 * owner may change the rest.
 */
function checkPeering(stored: TrunkRecord | undefined, draft: Draft): void {
  const hasPeering = stored !== undefined && !stored.register;
  if (hasPeering ? !draft.register && isSamePlace(stored, draft) : draft.register) return;
  throw operatorsPeering();
}

const operatorsPeering = () =>
  new AppError({
    code: "forbidden",
    publicMessage:
      "Only the operator of this appliance can set up, replace or remove a trunk without registration, because its calls are recognised only by their address. Ask the operator.",
    field: "register",
  });

/**
 * Without a list of countries from the operator, a tenant may dial the country of its caller ID. An attacker
 * with an open session must not change that country, so the account's password is required. A peering has no
 * password, so only the operator changes it.
 */
function checkCountry(
  stored: TrunkRecord | undefined,
  draft: Draft,
  password: string | null | undefined,
): void {
  if (!stored || countryOfCallerId(stored) === countryOfCallerId(draft)) return;
  if (!stored.register)
    throw new AppError({
      code: "forbidden",
      publicMessage:
        "Only the operator of this appliance can change the country of the caller ID here, because it decides which numbers can be called. Ask the operator.",
      field: "caller_id",
    });
  if (!password)
    throw invalidField(
      "password",
      "Send `password` again: the country of `caller_id` has changed, which decides which numbers can be called.",
      { reason: "trunk_country" },
    );
}

const countryOfCallerId = ({ callerId }: { readonly callerId: string }): Country | null =>
  isE164(callerId) ? countryOf(callerId) : null;

function checkPassword(
  stored: TrunkRecord | undefined,
  draft: Draft,
  password: string | null | undefined,
) {
  if (password === null && !draft.register) return;
  if (password) return;
  if ((password === null || !stored) && draft.register)
    throw invalidField("password", "`password` is required because no password is stored.", {
      reason: "trunk_password",
    });
  if (stored && !answersTheSame(stored, draft))
    throw invalidField(
      "password",
      "Send `password` again: the stored password is for the previous server, proxy and realm.",
      { reason: "trunk_password" },
    );
}

/** True if digest responses go to the same server as before. Otherwise another server could get them. */
const answersTheSame = (stored: TrunkRecord, draft: Draft): boolean =>
  isSamePlace(stored, draft) && stored.realm === draft.realm;

const isSamePlace = (stored: TrunkRecord, draft: Draft): boolean =>
  stored.server.toLowerCase() === draft.server.toLowerCase() &&
  stored.outboundProxy === draft.outboundProxy;

function answersOf(facts: TrunkFacts): Omit<TrunkTest, keyof TrunkState> {
  const { probe } = facts;
  const checks = assessTrunk(facts);
  const worst = (["failed", "warning"] as const).find((result) =>
    checks.some((check) => check.result === result),
  );
  return {
    result: worst ?? "ok",
    checks,
    pending: probe.pending,
    optionsCode: probe.sipCode,
    roundTripMs: probe.roundTripMs === null ? null : Math.round(probe.roundTripMs * 10) / 10,
    localAddress: hostPortText(probe.local),
    advertisedAddress: hostPortText(probe.advertised),
    seenAs: probe.seenAs && hostPortText(probe.seenAs),
    codecs: probe.codecs,
  };
}
