/** A STUN server (RFC 8489) on loopback that returns an address set by the test. */
import { buildBindingRequest, isStun } from "../../../src/sip/nat/stun.ts";

export interface StunServer {
  readonly host: string;
  readonly port: number;
  /** Address to return; null: no response. IPv4 only. */
  mapped: { readonly host: string; readonly port: number } | null;
  asked(): number;
  close(): void;
}

const COOKIE = 0x2112a442;

export async function startStunServer(host: string): Promise<StunServer> {
  let asked = 0;
  const socket = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: {
      data: (own, bytes, port, from) => {
        if (!isStun(bytes)) return;
        asked++;
        if (server.mapped) own.send(answer(Buffer.from(bytes), server.mapped), port, from);
      },
    },
  });
  const server: StunServer = {
    host,
    port: socket.port,
    mapped: null,
    asked: () => asked,
    close: () => socket.close(),
  };
  return server;
}

function answer(request: Buffer, mapped: { host: string; port: number }): Buffer {
  const response = Buffer.alloc(32);
  buildBindingRequest(request.subarray(8, 20)).copy(response);
  response.writeUInt16BE(0x0101, 0);
  response.writeUInt16BE(12, 2);
  response.writeUInt16BE(0x0020, 20);
  response.writeUInt16BE(8, 22);
  response.writeUInt16BE(1, 24);
  response.writeUInt16BE(mapped.port ^ (COOKIE >>> 16), 26);
  const address = Buffer.from(mapped.host.split(".").map(Number)).readUInt32BE();
  response.writeUInt32BE((address ^ COOKIE) >>> 0, 28);
  return response;
}
