/**
 * A UDP socket that is read when its owner asks, through libc: one call takes what has come since the
 * last, with the time at which the kernel received it. So a packet costs no wake-up of the thread, no
 * callback and no memory. For IPv4 on 64-bit Linux with glibc; elsewhere `openPolledSocket` answers null,
 * and the runtime's own sockets do the same.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { isIPv4 } from "node:net";
import type { Departures } from "./departures.ts";
import { readUint16, readUint32, writeUint16, writeUint32 } from "./packet.ts";

/** `datagram` is overwritten by the next one; it came at `atMs`. */
type PolledDatagramListener = (
  datagram: Uint8Array,
  host: string,
  port: number,
  atMs: number,
) => void;

export interface PolledSocket {
  /** Hands over what has come since the last time, in order. `nowMs` is of the clock of `atMs`. */
  poll(nowMs: number, listener: PolledDatagramListener): void;
  /**
   * What the system refuses counts as lost. With `slotMs` (of the clock's monotonic time) and departures,
   * it leaves their lead after that.
   */
  send(datagram: Uint8Array, host: string, port: number, slotMs?: number): void;
  close(): void;
}

const IPV4 = 2;
/** SOCK_DGRAM and SOCK_CLOEXEC. */
const DATAGRAMS = 0x80002;
const SOCKET_LEVEL = 1;
/** SO_TIMESTAMPNS, and the type of the message that it causes. */
const TIME_STAMPS = 35;
const REAL_TIME = 0;
/** MSG_DONTWAIT and MSG_NOSIGNAL. */
const AT_ONCE = 0x4040;
const ADDRESS_BYTES = 16;
/** The longest audio of the codecs we speak takes half of it. */
const DATAGRAM_BYTES_MAX = 2048;
const BATCH = 8;
/** Of one poll: a flood must not keep the other calls waiting. */
const BATCHES_MAX = 8;
const CONTROL_BYTES = 64;
/** Of a `struct mmsghdr`; its fields as 32-bit words. */
const HEADER_WORDS = 16;
const NAME_LENGTH = 2;
const CONTROL_LENGTH = 10;
const LENGTH = 14;
/** After a longer time the thread, or the machine, was stopped. */
const AGO_MS_MAX = 1000;

const { i32, u32, u64, ptr: pointer, i64 } = FFIType;
const SYMBOLS = {
  socket: { args: [i32, i32, i32], returns: i32 },
  bind: { args: [i32, pointer, u32], returns: i32 },
  setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
  sendto: { args: [i32, pointer, u64, i32, pointer, u32], returns: i64 },
  recvmmsg: { args: [i32, pointer, u32, i32, pointer], returns: i32 },
  clock_gettime: { args: [i32, pointer], returns: i32 },
  close: { args: [i32], returns: i32 },
} as const;

type Libc = ReturnType<typeof dlopen<typeof SYMBOLS>>["symbols"];

/** Memory that the runtime never moves: the kernel is told its address. */
const fixedMemory = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes));
const words = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);

/** Of this thread: all its sockets read and send through the same memory, one after the other. */
class Exchange {
  readonly sent = fixedMemory(DATAGRAM_BYTES_MAX);
  readonly address = fixedMemory(ADDRESS_BYTES);
  readonly sentAt = ptr(this.sent);
  readonly addressAt = ptr(this.address);
  readonly #now = fixedMemory(16);
  readonly #nowAt = ptr(this.#now);
  readonly #nowWords = words(this.#now);
  readonly #headers = fixedMemory(BATCH * HEADER_WORDS * 4);
  readonly headersAt = ptr(this.#headers);
  readonly #headerWords = words(this.#headers);
  readonly names = fixedMemory(BATCH * ADDRESS_BYTES);
  readonly #control = fixedMemory(BATCH * CONTROL_BYTES);
  readonly #controlWords = words(this.#control);
  readonly #received = fixedMemory(BATCH * DATAGRAM_BYTES_MAX);
  readonly #vectors = fixedMemory(BATCH * 16);
  /** The last datagram of each place: mostly the next one has the same length. */
  readonly #datagrams: Uint8Array[] = [];

  constructor(readonly libc: Libc) {
    const headers = new BigUint64Array(this.#headers.buffer);
    const vectors = new BigUint64Array(this.#vectors.buffer);
    const place = (memory: Uint8Array, index: number) =>
      BigInt(ptr(memory)) + BigInt((index * memory.byteLength) / BATCH);
    for (let index = 0; index < BATCH; index++) {
      const vector = [place(this.#received, index), BigInt(DATAGRAM_BYTES_MAX)];
      vectors.set(vector, index * 2);
      const fields = [
        ...[place(this.names, index), BigInt(ADDRESS_BYTES)],
        ...[place(this.#vectors, index), 1n],
        ...[place(this.#control, index), BigInt(CONTROL_BYTES)],
      ];
      headers.set(fields, (index * HEADER_WORDS) / 2);
      this.#datagrams.push(this.#received.subarray(0, 0));
    }
  }

  setAddress(host: number, port: number): void {
    this.address[0] = IPV4;
    writeUint16(this.address, 2, port);
    writeUint32(this.address, 4, host);
  }

  /** How many came; `datagram` and `agoMs` tell of each. */
  receive(socket: number): number {
    return this.libc.recvmmsg(socket, this.headersAt, BATCH, AT_ONCE, null);
  }

  /** From now on `agoMs` is counted. */
  readTime(): void {
    this.libc.clock_gettime(REAL_TIME, this.#nowAt);
  }

  /** Makes the place ready for the next one. */
  datagram(index: number): Uint8Array {
    const header = index * HEADER_WORDS;
    const length = this.#headerWords[header + LENGTH] ?? 0;
    this.#headerWords[header + NAME_LENGTH] = ADDRESS_BYTES;
    this.#headerWords[header + CONTROL_LENGTH] = CONTROL_BYTES;
    const last = this.#datagrams[index];
    if (last?.length === length) return last;
    const start = index * DATAGRAM_BYTES_MAX;
    const datagram = this.#received.subarray(start, start + length);
    this.#datagrams[index] = datagram;
    return datagram;
  }

  agoMs(index: number): number {
    const stamp = (index * CONTROL_BYTES) / 4;
    const [control, now] = [this.#controlWords, this.#nowWords];
    if (control[stamp + 3] !== TIME_STAMPS) return 0;
    const seconds = (now[0] ?? 0) - (control[stamp + 4] ?? 0);
    const agoMs = seconds * 1000 + ((now[2] ?? 0) - (control[stamp + 6] ?? 0)) / 1e6;
    return Math.max(0, Math.min(AGO_MS_MAX, agoMs));
  }
}

let exchange: Exchange | null | undefined;

function loadExchange(): Exchange | null {
  if (process.platform !== "linux") return null;
  try {
    return new Exchange(dlopen("libc.so.6", SYMBOLS).symbols);
  } catch {
    return null;
  }
}

/** Null: not on this system, or not for this address. Throws when the port is taken. */
export function openPolledSocket(
  host: string,
  port: number,
  departures: Departures | null = null,
): PolledSocket | null {
  if (!isIPv4(host)) return null;
  exchange ??= loadExchange();
  if (!exchange) return null;
  const { libc } = exchange;
  const socket = libc.socket(IPV4, DATAGRAMS, 0);
  exchange.setAddress(ipv4Of(host), port);
  const isBound = socket >= 0 && libc.bind(socket, exchange.addressAt, ADDRESS_BYTES) === 0;
  if (!isBound) {
    if (socket >= 0) libc.close(socket);
    throw new Error(`the system refuses UDP port ${port}`);
  }
  exchange.sent[0] = 1;
  exchange.sent.fill(0, 1, 4);
  libc.setsockopt(socket, SOCKET_LEVEL, TIME_STAMPS, exchange.sentAt, 4);
  return new LibcSocket(socket, exchange, departures);
}

class LibcSocket implements PolledSocket {
  /** The party that sent last, and the one that was sent to last. */
  #from = { address: 0, host: "" };
  #to = { address: 0, host: "" };
  #isOpen = true;

  constructor(
    private readonly socket: number,
    private readonly exchange: Exchange,
    private readonly departures: Departures | null,
  ) {}

  poll(nowMs: number, listener: PolledDatagramListener): void {
    const { exchange, socket } = this;
    for (let batch = 0; batch < BATCHES_MAX && this.#isOpen; batch++) {
      const count = exchange.receive(socket);
      if (batch === 0 && count > 0) exchange.readTime();
      for (let index = 0; index < count; index++) {
        const name = index * ADDRESS_BYTES;
        const port = readUint16(exchange.names, name + 2);
        const host = this.#hostOf(readUint32(exchange.names, name + 4));
        listener(exchange.datagram(index), host, port, nowMs - exchange.agoMs(index));
      }
      if (count < BATCH) return;
    }
  }

  send(datagram: Uint8Array, host: string, port: number, slotMs?: number): void {
    const { exchange, socket, departures } = this;
    if (datagram.length > DATAGRAM_BYTES_MAX) return;
    if (this.#to.host !== host) {
      if (!isIPv4(host)) return;
      this.#to = { address: ipv4Of(host), host };
    }
    exchange.setAddress(this.#to.address, port);
    exchange.sent.set(datagram);
    const { sentAt, addressAt } = exchange;
    const size = datagram.length;
    const isQueued =
      slotMs !== undefined && departures?.queue(socket, sentAt, size, addressAt, slotMs);
    if (!isQueued) exchange.libc.sendto(socket, sentAt, size, AT_ONCE, addressAt, ADDRESS_BYTES);
  }

  close(): void {
    this.#isOpen = false;
    if (this.departures) this.departures.closeSocket(this.socket);
    else this.exchange.libc.close(this.socket);
  }

  #hostOf(address: number): string {
    if (this.#from.address !== address || this.#from.host === "")
      this.#from = { address, host: textOf(address) };
    return this.#from.host;
  }
}

const ipv4Of = (host: string): number =>
  host.split(".").reduce((address, part) => address * 256 + Number(part), 0);

const textOf = (address: number): string =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join(".");
