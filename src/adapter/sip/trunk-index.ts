/** Which trunks a request may belong to: by the Contact user that it names, and by where it came from. */
import {
  contains,
  type Network,
  parseAddress,
  parseNetwork,
} from "../../platform/net/ip-address.ts";
import type { SipTrunk } from "./trunk.ts";

/** Hosts whose trunks are remembered between messages. */
const REMEMBERED_MAX = 1024;

const NONE: readonly SipTrunk[] = [];

export class TrunkIndex {
  readonly #byContactUser = new Map<string, SipTrunk>();
  /** Several trunks an address, where tenants share a carrier. */
  readonly #byAddress = new Map<string, Set<SipTrunk>>();
  /** Trunks that take calls from whole networks. */
  readonly #networks = new Map<SipTrunk, readonly Network[]>();
  /** Answers of `at`, until anything changes. */
  readonly #remembered = new Map<string, readonly SipTrunk[]>();

  /** Throws RangeError when one of its networks is none. */
  add(trunk: SipTrunk): void {
    const networks = (trunk.settings.extraNetworks ?? []).map(parseNetwork);
    this.#byContactUser.set(trunk.contactUser, trunk);
    if (networks.length > 0) this.#networks.set(trunk, networks);
    this.#remembered.clear();
  }

  /** Its addresses are others now. */
  moved(trunk: SipTrunk): void {
    this.#forgetAddresses(trunk);
    for (const address of trunk.addresses) {
      const trunks = this.#byAddress.get(address) ?? new Set();
      this.#byAddress.set(address, trunks.add(trunk));
    }
  }

  remove(trunk: SipTrunk): void {
    this.#byContactUser.delete(trunk.contactUser);
    this.#networks.delete(trunk);
    this.#forgetAddresses(trunk);
  }

  /** Trunks, those included that only live on for their calls. */
  get all(): readonly SipTrunk[] {
    return [...this.#byContactUser.values()];
  }

  withContact(user: string | null): SipTrunk | undefined {
    return user === null ? undefined : this.#byContactUser.get(user);
  }

  /** Trunks that calls from this address may be for. */
  at(host: string): readonly SipTrunk[] {
    const known = this.#remembered.get(host);
    if (known) return known;
    const trunks = this.#find(host);
    // Strangers are not remembered: there is no end of them.
    if (trunks.length === 0) return NONE;
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(host, trunks);
    return trunks;
  }

  clear(): void {
    this.#byContactUser.clear();
    this.#byAddress.clear();
    this.#networks.clear();
    this.#remembered.clear();
  }

  #find(host: string): readonly SipTrunk[] {
    const trunks = new Set(this.#byAddress.get(host));
    const address = this.#networks.size > 0 ? parseAddress(host) : null;
    if (address)
      for (const [trunk, networks] of this.#networks)
        if (networks.some((network) => contains(network, address))) trunks.add(trunk);
    return [...trunks];
  }

  #forgetAddresses(trunk: SipTrunk): void {
    this.#remembered.clear();
    for (const [address, trunks] of this.#byAddress)
      if (trunks.delete(trunk) && trunks.size === 0) this.#byAddress.delete(address);
  }
}
