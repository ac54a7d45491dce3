/** Team and audit log. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own, rest } from "../../api/client.ts";
import { keysQuery, teamQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { CheckField, FilterSelect } from "../../ui/field.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card, Page as Frame } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AuditLog } from "./audit/audit-log.tsx";
import { Invite, ROLES, type Role } from "./invite.tsx";

type Member = Own["Member"];

export function Page() {
  const { t } = useText();
  const { managesPeople } = useSession();
  const [inviting, setInviting] = useState(false);
  return (
    <Frame
      title={t("nav.team")}
      lead={t("team.lead")}
      actions={
        managesPeople && (
          <Button variant="primary" icon="plus" onClick={() => setInviting(true)}>
            {t("team.invite")}
          </Button>
        )
      }
    >
      <Tabs
        label={t("nav.team")}
        tabs={[
          { name: "members", label: t("team.tab.members"), content: () => <Members /> },
          { name: "audit", label: t("team.tab.audit"), content: () => <AuditLog /> },
        ]}
      />
      {inviting && <Invite onClose={() => setInviting(false)} />}
    </Frame>
  );
}

function Members() {
  const team = useQuery(teamQuery);
  const [removing, setRemoving] = useState<Member | null>(null);
  return (
    <div className="stack">
      <section className="card">
        <Loaded query={team}>
          {({ members }) => <MemberTable rows={members} onRemove={setRemoving} />}
        </Loaded>
      </section>
      <Invitations />
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(null)} />}
    </div>
  );
}

function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useText();
  return (
    <ConfirmWithKeys
      member={member}
      title={t("team.remove_title", { name: member.name })}
      body={t("team.remove_body")}
      action={t("action.remove")}
      onClose={onClose}
      onConfirm={() =>
        answer(own.DELETE("/team/{id}", { params: { path: { id: member.user_id } } }))
      }
    />
  );
}

/** API keys keep working after their creator loses rights, so the question lists them. */
function ConfirmWithKeys(props: {
  member: Member;
  title: string;
  body: string;
  action: string;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}) {
  const { member, title, body, action } = props;
  const { t, dateTime } = useText();
  const doing = useDoing("team", "keys");
  const keys = useQuery(keysQuery).data?.filter((key) => key.created_by === member.email) ?? [];
  const [revokes, setRevokes] = useState(false);
  return (
    <Confirm
      open
      title={title}
      body={body}
      action={action}
      onOpen={props.onClose}
      onConfirm={() =>
        doing.run(async () => {
          for (const { id } of revokes ? keys : [])
            await answer(rest.DELETE("/keys", { params: { query: { id } } }));
          await props.onConfirm();
        })
      }
    >
      {keys.length > 0 && (
        <>
          <p>{t("team.remove_keys")}</p>
          <ul>
            {keys.map((key) => (
              <li key={key.id}>
                <span className="strong">{key.label}</span>{" "}
                <span className="muted small">
                  {t("keys.last_used")}:{" "}
                  {key.last_used_at ? dateTime(key.last_used_at) : t("when.never")}
                </span>
              </li>
            ))}
          </ul>
          <CheckField label={t("team.revoke_keys")} value={revokes} onValue={setRevokes} />
        </>
      )}
    </Confirm>
  );
}

function MemberTable(props: { rows: readonly Member[]; onRemove: (member: Member) => void }) {
  const { t, dateTime } = useText();
  const { managesPeople, user } = useSession();
  const owners = props.rows.filter(({ role }) => role === "owner").length;
  const isOnlyOwner = ({ role }: Member) => role === "owner" && owners === 1;
  return (
    <Table
      caption={t("team.tab.members")}
      rows={props.rows}
      rowKey={(member) => member.user_id}
      columns={[
        {
          head: t("team.member"),
          cell: (member) => (
            <span>
              <span className="strong">{member.name}</span>{" "}
              {member.user_id === user.id && <span className="muted">({t("team.you")})</span>}
              <br />
              <span className="soft small">{member.email}</span>
            </span>
          ),
        },
        {
          head: t("team.role"),
          card: "block",
          cell: (member) =>
            managesPeople && !isOnlyOwner(member) ? (
              <RoleSelect member={member} />
            ) : (
              t(managesPeople ? "team.only_owner" : `role.${member.role}`)
            ),
        },
        {
          head: t("team.last_seen"),
          card: "labelled",
          cell: (member) => (member.last_seen_at ? dateTime(member.last_seen_at) : t("when.never")),
        },
        managesPeople && {
          head: t("action.remove"),
          card: "action",
          end: true,
          cell: (member) =>
            !isOnlyOwner(member) && (
              <IconButton
                icon="trash"
                label={`${t("action.remove")}: ${member.name}`}
                onClick={() => props.onRemove(member)}
              />
            ),
        },
      ]}
    />
  );
}

function RoleSelect({ member }: { member: Member }) {
  const { t } = useText();
  const doing = useDoing("team");
  const [demotedTo, setDemotedTo] = useState<Role | null>(null);
  const params = { path: { id: member.user_id } };
  const change = (role: Role) => answer(own.PATCH("/team/{id}", { params, body: { role } }));
  return (
    <>
      <FilterSelect
        label={`${t("team.role")}: ${member.name}`}
        value={member.role}
        choices={ROLES.map((value) => ({ value, label: t(`role.${value}`) }))}
        onValue={(role) => {
          // Only owners can create keys.
          if (member.role === "owner" && role !== "owner") setDemotedTo(role);
          else void doing.run(() => change(role), t("form.saved"));
        }}
      />
      {demotedTo && (
        <ConfirmWithKeys
          member={member}
          title={t("team.demote_title", { name: member.name })}
          body={t("team.demote_body")}
          action={t("team.demote")}
          onClose={() => setDemotedTo(null)}
          onConfirm={() => change(demotedTo)}
        />
      )}
    </>
  );
}

function Invitations() {
  const { t, dateTime } = useText();
  const { managesPeople } = useSession();
  const team = useQuery(teamQuery);
  const doing = useDoing("team");
  if (!team.data || team.data.invitations.length === 0) return null;
  return (
    <Card title={t("team.invitations")} flush>
      <Table
        caption={t("team.invitations")}
        rows={team.data.invitations}
        rowKey={(invitation) => invitation.id}
        columns={[
          { head: t("auth.email"), cell: (invitation) => invitation.email },
          { head: t("team.role"), cell: (invitation) => t(`role.${invitation.role}`) },
          {
            head: t("team.expires"),
            card: "labelled",
            cell: (invitation) => dateTime(invitation.expires_at),
          },
          managesPeople && {
            head: t("team.withdraw"),
            card: "action",
            end: true,
            cell: ({ id }) => (
              <Button
                small
                onClick={() =>
                  void doing.run(() =>
                    answer(own.DELETE("/team/invitations/{id}", { params: { path: { id } } })),
                  )
                }
              >
                {t("team.withdraw")}
              </Button>
            ),
          },
        ]}
      />
    </Card>
  );
}
