/** Trying an agent: by voice over the microphone, by text, or by a call to one's own phone. */
import type { Rest } from "../../api/client.ts";
import { Chat } from "./chat.tsx";
import { WebCall } from "./web-call.tsx";

export function AgentTest({ agent }: { agent: Rest["Agent"] }) {
  return (
    <div className="stack">
      <WebCall agentId={agent.id} />
      <Chat agentId={agent.id} />
    </div>
  );
}
