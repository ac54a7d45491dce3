/**
 * Live calls and their turns so far, updated over the WebSocket /api/dashboard/ws. Reconnects with
 * a growing delay, and exposes the connection state.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react";
import { systemClock } from "../../../core/clock.ts";
import type { Own } from "../api/client.ts";
import { homeQuery, trunkQuery } from "../api/queries.ts";
import { openSocket, type SocketState } from "../api/socket.ts";

export type LiveCall = Own["LiveCall"];
export type LiveTurn = Own["LiveTurn"];

const TURNS_MAX = 500;

type LiveMessage =
  | { readonly type: "call"; readonly call: LiveCall }
  | { readonly type: "turn"; readonly call_uuid: string; readonly turn: LiveTurn }
  | { readonly type: "ended"; readonly call_uuid: string }
  | { readonly type: "registration" | "ready" | "ping" };

interface LiveState {
  readonly calls: readonly LiveCall[];
  readonly turns: ReadonlyMap<string, readonly LiveTurn[]>;
}

interface Live extends LiveState {
  readonly state: SocketState;
  /** Time in ms when the connection was lost; null while it is up. */
  readonly lostSince: number | null;
}

const EMPTY: LiveState = { calls: [], turns: new Map() };
const LiveContext = createContext<Live>({ ...EMPTY, state: "connecting", lostSince: null });
export const useLive = (): Live => use(LiveContext);

function withTurn(turns: readonly LiveTurn[], turn: LiveTurn): readonly LiveTurn[] {
  const at = turns.findIndex(({ index }) => index === turn.index);
  if (at >= 0) return turns.with(at, turn);
  return [...turns, turn].sort((a, b) => a.index - b.index).slice(-TURNS_MAX);
}

function after(before: LiveState, event: LiveMessage): LiveState {
  switch (event.type) {
    case "call": {
      const others = before.calls.filter(({ call_uuid }) => call_uuid !== event.call.call_uuid);
      const calls = [...others, event.call].sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
      const turn = event.call.last_turn;
      if (!turn) return { ...before, calls };
      const known = before.turns.get(event.call.call_uuid) ?? [];
      return {
        calls,
        turns: new Map(before.turns).set(event.call.call_uuid, withTurn(known, turn)),
      };
    }
    case "turn": {
      const known = before.turns.get(event.call_uuid) ?? [];
      return {
        ...before,
        turns: new Map(before.turns).set(event.call_uuid, withTurn(known, event.turn)),
      };
    }
    case "ended": {
      const turns = new Map(before.turns);
      turns.delete(event.call_uuid);
      return {
        turns,
        calls: before.calls.filter(({ call_uuid }) => call_uuid !== event.call_uuid),
      };
    }
    default:
      return before;
  }
}

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [live, setLive] = useState<LiveState>(EMPTY);
  const [state, setState] = useState<SocketState>("connecting");
  const [lostSince, setLostSince] = useState<number | null>(null);
  const router = useRouter();

  useEffect(() => {
    /** Last status of each call that the call list may have shown. */
    const states = new Map<string, LiveCall["status"]>();
    let lost = false;
    const socket = openSocket("/api/dashboard/ws", {
      onState(now) {
        setState(now);
        if (now === "closed") {
          setLostSince((before) => before ?? systemClock.now());
          lost = true;
        }
        if (now !== "open") return;
        setLostSince(null);
        setLive(EMPTY);
        if (!lost) return;
        lost = false;
        void queries.invalidateQueries();
        void router.invalidate();
      },
      onMessage(message) {
        const event = message as LiveMessage;
        setLive((before) => after(before, event));
        if (event.type === "call" && states.get(event.call.call_uuid) !== event.call.status) {
          states.set(event.call.call_uuid, event.call.status);
          void queries.invalidateQueries({ queryKey: ["calls"] });
        }
        if (event.type === "ended") {
          states.delete(event.call_uuid);
          void queries.invalidateQueries({ queryKey: ["calls"] });
          void queries.invalidateQueries({ queryKey: ["call", event.call_uuid] });
          void queries.invalidateQueries({ queryKey: homeQuery.queryKey });
        }
        if (event.type === "registration")
          void queries.invalidateQueries({ queryKey: trunkQuery.queryKey });
      },
    });
    return () => socket.close();
  }, [queries, router]);

  const value = useMemo(() => ({ ...live, state, lostSince }), [live, state, lostSince]);
  return <LiveContext value={value}>{children}</LiveContext>;
}
