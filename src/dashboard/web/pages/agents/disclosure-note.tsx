/** What is said before, with or after an agent's first words, as the conversation decides it. */
import { useQuery } from "@tanstack/react-query";
import { disclosingStart } from "../../../../domain/conversation/disclosure-words.ts";
import { settingsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import type { AgentDraft } from "./agent-draft.ts";

export function DisclosureNote({ draft }: { draft: AgentDraft }) {
  const { t } = useText();
  const { data } = useQuery(settingsQuery);
  const { language, first_message: message, first_speaker: speaker } = draft;
  const sentence = data?.disclosure[language] ?? data?.disclosure_default[language] ?? "";
  if (sentence === "") return <>{t("agents.first_message_hint")}</>;
  const isSaid = disclosingStart(message, sentence, language) !== null;
  const note =
    speaker === "customer"
      ? t("agents.disclosure.in_answer", { sentence })
      : isSaid
        ? t("agents.disclosure.said")
        : t("agents.disclosure.before", { sentence });
  return (
    <>
      {t("agents.first_message_hint")} {note}
    </>
  );
}
