/**
 * Command palette: find pages, actions, agents, contacts and calls by a few letters, without a
 * mouse.
 */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { agentsQuery, callsQuery, contactsFoundQuery } from "../api/queries.ts";
import { type Texts, useText } from "../i18n/text.tsx";
import { contactName } from "../pages/contacts/contact-name.ts";
import { useSession } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { pagesFor } from "./navigation.ts";

interface Choice {
  readonly key: string;
  readonly label: string;
  /** Kind of the choice: page, action, agent … */
  readonly kind: string;
  readonly icon: IconName;
  readonly to: string;
  readonly search?: Readonly<Record<string, string | boolean>>;
}

const FOUND_MAX = 5;
const LETTERS_MIN = 2;

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function actionsOf({ t }: Texts): Choice[] {
  const action = (label: string, icon: IconName, to: string, search?: Choice["search"]) => ({
    key: `do ${to}`,
    label,
    kind: t("palette.action"),
    icon,
    to,
    search,
  });
  return [
    action(t("calls.place"), "calls", "/calls", { place: true }),
    action(t("agents.new"), "plus", "/agents/new"),
    action(t("tools.new"), "plus", "/tools/new"),
  ];
}

/** Choices in memory, and those that the server finds for the words. */
function useChoices(words: string): Choice[] {
  const texts = useText();
  const { t, dateTime } = texts;
  const session = useSession();
  const asks = words.trim().length >= LETTERS_MIN && session.tenant !== null;
  const agents = useQuery({ ...agentsQuery, enabled: session.tenant !== null });
  const contacts = useQuery({ ...contactsFoundQuery(words.trim(), FOUND_MAX), enabled: asks });
  const calls = useQuery({
    ...callsQuery({ words: words.trim(), limit: FOUND_MAX, offset: 0 }),
    enabled: asks,
  });
  const known: Choice[] = [
    ...pagesFor(session).map(({ to, label, icon }) => ({
      key: to,
      label: t(label),
      kind: t("palette.page"),
      icon,
      to,
    })),
    ...(session.mayChange ? actionsOf(texts) : []),
    ...(agents.data ?? []).map(
      ({ id, name }): Choice => ({
        key: `agent ${id}`,
        label: name,
        kind: t("calls.agent"),
        icon: "agent",
        to: `/agents/${id}`,
      }),
    ),
  ];
  const wanted = plain(words.trim());
  const starts = ({ label }: Choice) => Number(plain(label).startsWith(wanted));
  const found = known
    .filter(({ label }) => plain(label).includes(wanted))
    .sort((a, b) => starts(b) - starts(a));
  if (!asks) return found;
  return [
    ...found,
    ...(contacts.data ?? []).map(
      (contact): Choice => ({
        key: `contact ${contact.id}`,
        kind: t("palette.contact"),
        icon: "contacts",
        label: contactName(contact),
        to: "/contacts",
        search: { search: contact.number_e164 },
      }),
    ),
    ...(calls.data?.calls ?? []).map(
      (call): Choice => ({
        key: call.call_uuid,
        icon: "calls",
        to: `/calls/${call.call_uuid}`,
        label: call.said ?? call.summary ?? call.contact_name ?? call.from_number ?? call.to_number,
        kind: dateTime(call.created_at),
      }),
    ),
  ];
}

export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const navigate = useNavigate();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  // Not deferred: Enter must use the current text, not the previous list.
  const choices = useChoices(typed);
  const current = Math.min(at, choices.length - 1);
  const go = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    void navigate({ to: choice.to, search: { ...choice.search } });
  };
  return (
    <Dialog title={t("palette.title")} open onOpen={(to) => !to && onClose()}>
      <input
        className="input"
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={choices[current] ? `${id}-${current}` : undefined}
        aria-label={t("palette.hint")}
        placeholder={t("palette.hint")}
        data-first
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step !== 0) setAt((current + step + choices.length) % Math.max(1, choices.length));
          if (event.key === "Enter") go(choices[current]);
          if (step !== 0 || event.key === "Enter") event.preventDefault();
        }}
      />
      <Choices id={id} choices={choices} current={current} onChoose={go} />
    </Dialog>
  );
}

function Choices(props: {
  id: string;
  choices: readonly Choice[];
  current: number;
  onChoose: (choice: Choice) => void;
}) {
  const { t } = useText();
  const { id, choices, current } = props;
  return (
    <>
      {/* The input above keeps the focus and refers to the current option. */}
      <div className="palette" role="listbox" id={`${id}-list`} aria-label={t("palette.title")}>
        {choices.map((choice, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above keeps the focus
          <div
            key={choice.key}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === current}
            ref={at === current ? (row) => row?.scrollIntoView({ block: "nearest" }) : undefined}
            onClick={() => props.onChoose(choice)}
          >
            <Icon name={choice.icon} />
            <span className="grow">{choice.label}</span>
            <span className="small muted nowrap">{choice.kind}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p className="soft" role="status">
          {t("palette.nothing")}
        </p>
      )}
    </>
  );
}
