/** Write to an agent: its LLM without STT and TTS. */
import { type FormEvent, useState } from "react";
import { answer, own } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/states.tsx";
import { Bubbles } from "./bubbles.tsx";

interface Message {
  readonly role: "agent" | "customer";
  readonly text: string;
  readonly note?: string;
}

export function Chat({ agentId }: { agentId: number }) {
  const { t, ms } = useText();
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [draft, setDraft] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);

  async function send(event: FormEvent) {
    event.preventDefault();
    const message = draft.trim();
    if (message === "" || busy) return;
    setBusy(true);
    setProblem(null);
    const before = messages;
    setMessages([...before, { role: "customer", text: message }]);
    setDraft("");
    try {
      const reply = await answer(
        own.POST("/agents/{id}/chat", {
          params: { path: { id: agentId } },
          body: { messages: before.map(({ role, text }) => ({ role, text })), message },
        }),
      );
      const notes = [
        ...reply.events.flatMap((done) =>
          done.type === "tool"
            ? [t("web_call.tool", { tool: done.tool ?? "", ms: done.duration_ms ?? 0 })]
            : done.type === "transfer"
              ? [t("chat.transfer")]
              : [],
        ),
        ...(reply.ended ? [t("chat.ended")] : []),
        ms(reply.duration_ms),
      ];
      setMessages((now) => [...now, { role: "agent", text: reply.reply, note: notes.join(" · ") }]);
    } catch (thrown) {
      setMessages(before);
      setDraft(message);
      setProblem(problemOf(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Card
      title={t("chat.title")}
      note={t("chat.lead")}
      actions={
        messages.length > 0 && (
          <Button variant="ghost" onClick={() => setMessages([])}>
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
      <form className="row" onSubmit={(event) => void send(event)}>
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
