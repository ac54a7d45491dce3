/** The knowledge files, tools and numbers of an agent. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { filesQuery, numbersQuery, toolsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { CheckField, ReadOnlyFields } from "../../ui/field.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { EmptyState, Loaded, LoadedRows } from "../../ui/states.tsx";
import { ToolState } from "../tools/tool-state.tsx";
import { useAgentName } from "./agent-choices.ts";

export function AgentKnowledge({ agentId }: { agentId: number }) {
  const { t } = useText();
  const files = useQuery(filesQuery);
  const { mayChange } = useSession();
  const doing = useDoing("files", "home");
  const add = mayChange && (
    <Link to="/knowledge" search={{ agent: agentId }} className="button">
      {t("knowledge.new")}
    </Link>
  );
  return (
    <Card title={t("nav.knowledge")} note={t("agents.knowledge_lead")} actions={add} flush>
      <LoadedRows
        query={files}
        empty={
          <EmptyState icon="knowledge" title={t("knowledge.empty")}>
            {t("knowledge.empty_body")}
          </EmptyState>
        }
      >
        {(rows) => (
          <ul className="list">
            {rows.map((file) => (
              <Assigned
                key={file.id}
                label={file.filename}
                note={mayChange && <EditFile file={file} />}
                value={file.agent_ids.includes(agentId)}
                disabled={!mayChange}
                onValue={(known) =>
                  void doing.run(() =>
                    answer(
                      rest.PATCH("/files/{id}", {
                        params: { path: { id: file.id } },
                        body: {
                          agent_ids: known
                            ? [...file.agent_ids, agentId]
                            : file.agent_ids.filter((id) => id !== agentId),
                        },
                      }),
                    ),
                  )
                }
              />
            ))}
          </ul>
        )}
      </LoadedRows>
    </Card>
  );
}

function EditFile({ file: { id, filename } }: { file: Pick<Rest["File"], "id" | "filename"> }) {
  const { t } = useText();
  return (
    <Link
      to="/knowledge/$id"
      params={{ id: String(id) }}
      className="button small"
      aria-label={`${t("action.edit")}: ${filename}`}
    >
      {t("action.edit")}
    </Link>
  );
}

function Assigned(props: {
  label: string;
  note: ReactNode;
  value: boolean;
  disabled: boolean;
  onValue: (value: boolean) => void;
}) {
  return (
    <li>
      <div className="grow">
        <ReadOnlyFields value={props.disabled}>
          <CheckField
            label={<span className="strong">{props.label}</span>}
            value={props.value}
            onValue={props.onValue}
          />
        </ReadOnlyFields>
      </div>
      {props.note}
    </li>
  );
}

export function AgentTools({ agentId }: { agentId: number }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const tools = useQuery(toolsQuery);
  return (
    <Card
      title={t("nav.tools")}
      note={t("agents.tools_lead")}
      actions={
        mayChange && (
          <Link to="/tools/new" search={{ agent: agentId }} className="button">
            {t("tools.new")}
          </Link>
        )
      }
      flush
    >
      <Loaded query={tools}>
        {(all) => {
          const rows = all.filter(({ agent_id }) => agent_id === null || agent_id === agentId);
          if (rows.length === 0)
            return (
              <EmptyState icon="tool" title={t("tools.empty")}>
                {t("tools.empty_body")}
              </EmptyState>
            );
          return (
            <ul className="list">
              {rows.map((tool) => (
                <li key={tool.id}>
                  <div className="grow">
                    <Link to="/tools/$id" params={{ id: String(tool.id) }} className="strong mono">
                      {tool.name}
                    </Link>
                    <p className="soft small">{tool.description}</p>
                  </div>
                  <span className="row">
                    <Badge>
                      {t(tool.agent_id === null ? "agents.tools_all" : "agents.tools_own")}
                    </Badge>
                    <ToolState tool={tool} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

export function AgentNumbers({ agentId }: { agentId: number }) {
  const { t } = useText();
  const numbers = useQuery(numbersQuery);
  const { mayChange } = useSession();
  const add = mayChange && (
    <Link to="/numbers" search={{ agent: agentId }} className="button">
      {t("numbers.new")}
    </Link>
  );
  return (
    <Card title={t("nav.numbers")} note={t("agents.numbers_lead")} actions={add} flush>
      <LoadedRows
        query={numbers}
        empty={
          <EmptyState icon="number" title={t("numbers.empty")}>
            {t("numbers.empty_body")}
          </EmptyState>
        }
      >
        {(rows) => (
          <ul className="list">
            {rows.map((number) => (
              <AssignedNumber key={number.id} number={number} agentId={agentId} />
            ))}
          </ul>
        )}
      </LoadedRows>
    </Card>
  );
}

function AssignedNumber({ number, agentId }: { number: Rest["PhoneNumber"]; agentId: number }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const doing = useDoing("numbers", "home");
  const agentName = useAgentName();
  const isMine = number.agent_id === agentId;
  const other = isMine ? undefined : agentName(number.agent_id);
  return (
    <Assigned
      label={number.label ? `${number.number_e164} · ${number.label}` : number.number_e164}
      note={other && <span className="muted">{t("agents.other_agent", { name: other })}</span>}
      value={isMine}
      disabled={!mayChange}
      onValue={(mine) =>
        void doing.run(() =>
          answer(
            rest.PATCH("/phone-numbers/{id}", {
              params: { path: { id: number.id } },
              body: { agent_id: mine ? agentId : null },
            }),
          ),
        )
      }
    />
  );
}
