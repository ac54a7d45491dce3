/** The authenticator app: turn on, turn off, recovery codes. */
import { useMemo, useState } from "react";
import { answer, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { CodeField, PasswordField } from "../../ui/credential-fields.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useForm } from "../../ui/form.ts";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { qrModules } from "../../ui/qr.ts";
import { FormDialog, SendForm } from "../../ui/send-form.tsx";

interface Begun {
  readonly secret: string;
  readonly otpauth_uri: string;
}

export function SecondFactor() {
  const { t } = useText();
  const { user } = useSession();
  const doing = useDoing();
  const [begun, setBegun] = useState<Begun | null>(null);
  const [disabling, setDisabling] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Card
      title={t("profile.totp")}
      actions={
        user.totp_enabled ? (
          <Button onClick={() => setDisabling(true)}>{t("profile.totp_disable")}</Button>
        ) : (
          <Button
            variant="primary"
            busy={doing.busy}
            onClick={() =>
              void doing.run(async () => setBegun(await answer(own.POST("/totp/begin"))))
            }
          >
            {t("profile.totp_begin")}
          </Button>
        )
      }
    >
      <p>{t(user.totp_enabled ? "profile.totp_on" : "profile.totp_off")}</p>
      {begun && (
        <SetUp
          begun={begun}
          onClose={() => setBegun(null)}
          onCodes={(made) => {
            setBegun(null);
            setCodes(made);
          }}
        />
      )}
      <Disable open={disabling} onClose={() => setDisabling(false)} />
      <Dialog
        title={t("profile.recovery")}
        lead={t("profile.recovery_lead")}
        open={codes !== null}
        onOpen={() => setCodes(null)}
      >
        <div className="secret">
          <code className="pre">{codes?.join("\n")}</code>
          <CopyButton text={codes?.join("\n") ?? ""} />
        </div>
        <p className="note warn">{t("copy.once")}</p>
      </Dialog>
    </Card>
  );
}

function SetUp(props: {
  begun: Begun;
  onClose: () => void;
  onCodes: (codes: readonly string[]) => void;
}) {
  const { t } = useText();
  const stale = useStale();
  const form = useForm({ code: "" }, { unguarded: true });
  return (
    <Dialog
      title={t("profile.totp")}
      lead={t("profile.totp_scan")}
      open
      onOpen={(open) => !open && props.onClose()}
    >
      <QrCode text={props.begun.otpauth_uri} label={t("profile.totp_qr")} />
      <div>
        <p className="small muted">{t("profile.totp_secret")}</p>
        <div className="secret">
          <code>{props.begun.secret}</code>
          <CopyButton text={props.begun.secret} />
        </div>
      </div>
      <SendForm
        form={form}
        action={t("profile.totp_confirm")}
        onSend={async (body) => {
          const { recovery_codes } = await answer(own.POST("/totp/confirm", { body }));
          await stale("session");
          props.onCodes(recovery_codes);
        }}
      >
        <CodeField inputMode="numeric" {...form.bind("code")} />
      </SendForm>
    </Dialog>
  );
}

function Disable(props: { open: boolean; onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const empty = { password: "", code: "" };
  const form = useForm(empty, { unguarded: true });
  return (
    <FormDialog
      {...props}
      title={t("profile.totp_disable")}
      action={t("profile.totp_disable")}
      variant="danger"
      form={form}
      onSend={async (body) => {
        await answer(own.POST("/totp/disable", { body }));
        await stale("session");
        form.reset(empty);
        props.onClose();
      }}
    >
      <PasswordField label={t("profile.totp_password")} {...form.bind("password")} />
      <CodeField hint={t("profile.totp_code_hint")} {...form.bind("code")} />
    </FormDialog>
  );
}

/** A QR code as one SVG path. Nothing if the text is too long: the dialog also shows it as text. */
function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => qrModules(text), [text]);
  if (!rows) return null;
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg className="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={path} fill="currentColor" />
    </svg>
  );
}
