/** Text chat with an agent: its LLM without STT and TTS. */
import { type FormEvent, useState } from "react";
import { answer, own } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { type Texts, useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/states.tsx";
import { sourceNames } from "../knowledge/source-name.ts";
import type { TrialDraft } from "./agent-draft.ts";
import { Bubbles } from "./bubbles.tsx";

interface Message {
  readonly role: "agent" | "customer";
  readonly text: string;
  readonly note?: string;
}

const replyOf = ({ agentId, draft }: Tried, messages: readonly Message[], message: string) =>
  answer(
    own.POST("/agents/{id}/chat", {
      params: { path: { id: agentId } },
      body: { messages: messages.map(({ role, text }) => ({ role, text })), message, draft },
    }),
  );
interface Tried {
  readonly agentId: number;
  /** Form values, saved or not, with which the agent answers. */
  readonly draft: TrialDraft;
}
type Reply = Awaited<ReturnType<typeof replyOf>>;

/** The agent's actions during a reply, and its duration. */
function noteOf(reply: Reply, { t, ms }: Texts): string {
  const done = reply.events.flatMap((event) => {
    if (event.type === "tool")
      return [t("web_call.tool", { tool: event.tool ?? "", ms: event.duration_ms ?? 0 })];
    return event.type === "transfer" ? [t("chat.transfer")] : [];
  });
  const sources = sourceNames(reply.sources);
  const from = sources === "" ? [] : [t("knowledge.from", { sources })];
  const ended = reply.ended ? [t("chat.ended")] : [];
  return [...done, ...from, ...ended, ms(reply.duration_ms)].join(" · ");
}

function useConversation(tried: Tried) {
  const texts = useText();
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);

  /** Returns false if there was no reply; the message is then removed from the conversation. */
  async function send(message: string): Promise<boolean> {
    setBusy(true);
    setProblem(null);
    const before = messages;
    setMessages([...before, { role: "customer", text: message }]);
    try {
      const reply = await replyOf(tried, before, message);
      const note = noteOf(reply, texts);
      setMessages((now) => [...now, { role: "agent", text: reply.reply, note }]);
      return true;
    } catch (thrown) {
      setMessages(before);
      setProblem(problemOf(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  }

  return { messages, busy, problem, send, clear: () => setMessages([]) };
}

export function Chat(tried: Tried) {
  const { t } = useText();
  const { messages, busy, problem, send, clear } = useConversation(tried);
  const [draft, setDraft] = useState("");

  async function submit(event: FormEvent) {
    event.preventDefault();
    const message = draft.trim();
    if (message === "" || busy) return;
    setDraft("");
    if (!(await send(message))) setDraft(message);
  }

  return (
    <Card
      title={t("chat.title")}
      note={t("chat.lead")}
      actions={
        messages.length > 0 && (
          <Button variant="ghost" onClick={clear}>
            {t("chat.again")}
          </Button>
        )
      }
    >
      {messages.length === 0 ? (
        <p className="soft">{t("chat.empty")}</p>
      ) : (
        <Bubbles
          label={t("chat.title")}
          bubbles={messages.map(({ role, text, note }, at) => ({
            key: String(at),
            side: role,
            text,
            note,
          }))}
        />
      )}
      <ProblemNote problem={problem} />
      <form className="row" onSubmit={(event) => void submit(event)}>
        <input
          className="input grow"
          aria-label={t("chat.message")}
          placeholder={t("chat.message")}
          maxLength={2000}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        <Button type="submit" busy={busy}>
          {t("chat.send")}
        </Button>
      </form>
    </Card>
  );
}
