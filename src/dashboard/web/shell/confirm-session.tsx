/** Asks who is signed in to prove it once more, where something wants a recent sign-in. */
import { useEffect, useRef, useState } from "react";
import { systemClock } from "../../../core/clock.ts";
import { answer, own } from "../api/client.ts";
import { askNow, askWith } from "../api/step-up.ts";
import { useText } from "../i18n/text.tsx";
import { useSession } from "../session.ts";
import { Button, ButtonAnchor } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { useForm } from "../ui/form.ts";
import { useStale } from "../ui/mutate.ts";
import { ProblemNote } from "../ui/states.tsx";

const EMPTY = { password: "", code: "" };

export function ConfirmSession() {
  const { t } = useText();
  const { user } = useSession();
  const stale = useStale();
  const form = useForm(EMPTY);
  const [open, setOpen] = useState(false);
  const settle = useRef<((confirmed: boolean) => void) | null>(null);

  useEffect(() => {
    askWith(() => {
      setOpen(true);
      return new Promise((resolve) => {
        settle.current?.(false);
        settle.current = resolve;
      });
    });
    return () => askWith(async () => false);
  }, []);

  function close(confirmed: boolean) {
    settle.current?.(confirmed);
    settle.current = null;
    form.reset(EMPTY);
    setOpen(false);
  }

  return (
    <Dialog
      title={t("confirm.title")}
      lead={t("confirm.lead")}
      open={open}
      onOpen={(on) => !on && close(false)}
    >
      <form
        className="form"
        noValidate
        onSubmit={form.send(async ({ password, code }) => {
          const body = { password, ...(code === "" ? {} : { code }) };
          await answer(own.POST("/session/confirm", { body }));
          await stale("session");
          close(true);
        })}
      >
        <TextField
          label={t("auth.password")}
          type="password"
          autoComplete="current-password"
          required
          {...form.bind("password")}
        />
        {user.totp_enabled && (
          <TextField
            label={t("auth.code")}
            hint={t("profile.totp_code_hint")}
            autoComplete="one-time-code"
            {...form.bind("code")}
          />
        )}
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("confirm.action")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A link to a file that wants a recent sign-in: asked for first, else the file would be the refusal. */
export function ExportAnchor(props: Parameters<typeof ButtonAnchor>[0] & { href: string }) {
  const { recent_until } = useSession();
  return (
    <ButtonAnchor
      {...props}
      onClick={(event) => {
        if (systemClock.now() < Date.parse(recent_until)) return;
        event.preventDefault();
        const { href, download } = event.currentTarget;
        void askNow().then((confirmed) => {
          if (confirmed) fetchFile(href, download);
        });
      }}
    />
  );
}

function fetchFile(href: string, download: string) {
  const link = Object.assign(document.createElement("a"), { href, download });
  link.click();
}
