/** Invites a person into one's company, or the first owner of a company that has none. */
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Secret } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";

export const ROLES = ["owner", "member", "viewer"] as const;
export type Role = (typeof ROLES)[number];

interface InviteProps {
  /** Company whose first owner is invited. Without it, invites into one's own company. */
  readonly ownerOf?: Pick<Own["OperatorTenant"], "id" | "name" | "email">;
  readonly onClose: () => void;
}

export function Invite({ ownerOf, onClose }: InviteProps) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useForm<{ email: string; role: Role }>({
    email: ownerOf?.email ?? "",
    role: "member",
  });
  const [link, setLink] = useState<string | null>(null);
  if (link !== null)
    return (
      <Dialog open title={t("team.link")} lead={t("team.link_lead")} onOpen={onClose}>
        <Secret value={link} />
      </Dialog>
    );
  return (
    <FormDialog
      onClose={onClose}
      title={ownerOf ? t("team.invite_owner", { name: ownerOf.name }) : t("team.invite")}
      action={t("team.invite")}
      form={form}
      onSend={async ({ email, role }) => {
        const made = ownerOf
          ? await answer(
              own.POST("/operator/tenants/{id}/owner", {
                params: { path: { id: ownerOf.id } },
                body: { email },
              }),
            )
          : await answer(own.POST("/team/invitations", { body: { email, role } }));
        await stale("team");
        if (made.link !== null) return setLink(made.link);
        showMessage(t(made.mailed ? "team.invited" : "team.invited_unmailed"));
        onClose();
      }}
    >
      <TextField label={t("auth.email")} type="email" required {...form.bind("email")} />
      {!ownerOf && (
        <SelectField
          label={t("team.role")}
          hint={t("team.role_hint")}
          choices={ROLES.map((value) => ({ value, label: t(`role.${value}`) }))}
          {...form.bind("role")}
        />
      )}
    </FormDialog>
  );
}
