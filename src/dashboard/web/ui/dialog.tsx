/** Dialogs: one for forms, one that asks before something is lost. */
import { AlertDialog, Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef, useState } from "react";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { useText } from "../i18n/text.tsx";
import { Button, IconButton } from "./button.tsx";
import { ProblemNote } from "./states.tsx";

/** Returns the focus to the element that had it before; if that is gone, to the page. */
function useFocusBack() {
  const before = useRef<Element | null>(null);
  return {
    onOpenAutoFocus() {
      before.current = document.activeElement;
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      const back = before.current?.isConnected
        ? before.current
        : document.getElementById("content");
      if (back instanceof HTMLElement) back.focus();
    },
  };
}

export function Dialog(props: {
  title: string;
  lead?: ReactNode;
  open: boolean;
  onOpen: (open: boolean) => void;
  wide?: boolean;
  children: ReactNode;
}) {
  const { t } = useText();
  const focus = useFocusBack();
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpen}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className={props.wide ? "dialog wide" : "dialog"}
          {...focus}
          {...(props.lead ? {} : { "aria-describedby": undefined })}
        >
          <div className="dialog-head">
            <div>
              <Radix.Title asChild>
                <h2>{props.title}</h2>
              </Radix.Title>
              {props.lead && (
                <Radix.Description className="soft small">{props.lead}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton icon="close" label={t("action.close")} />
            </Radix.Close>
          </div>
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** If the action fails, the dialog stays open and shows the problem. */
export function Confirm(props: {
  title: string;
  body: ReactNode;
  action: string;
  /** Default: "Cancel". */
  cancel?: string;
  open: boolean;
  onOpen: (open: boolean) => void;
  onConfirm: () => Promise<unknown>;
}) {
  const { t } = useText();
  const focus = useFocusBack();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);

  async function confirm() {
    setBusy(true);
    setProblem(null);
    try {
      await props.onConfirm();
      props.onOpen(false);
    } catch (thrown) {
      setProblem(problemOf(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <AlertDialog.Root open={props.open} onOpenChange={props.onOpen}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="dialog" {...focus}>
          <AlertDialog.Title asChild>
            <h2>{props.title}</h2>
          </AlertDialog.Title>
          <AlertDialog.Description className="soft">{props.body}</AlertDialog.Description>
          <ProblemNote problem={problem} />
          <div className="form-foot">
            <Button variant="danger" busy={busy} onClick={() => void confirm()}>
              {props.action}
            </Button>
            <AlertDialog.Cancel asChild>
              <Button variant="ghost">{props.cancel ?? t("action.cancel")}</Button>
            </AlertDialog.Cancel>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** Asks about one row of a list; closed while `about` is null. */
export function ConfirmAbout<Thing>(props: {
  about: Thing | null;
  title: (thing: Thing) => string;
  body: ReactNode;
  action: string;
  cancel?: string;
  onClose: () => void;
  onConfirm: (thing: Thing) => Promise<unknown>;
}) {
  const { about } = props;
  return (
    <Confirm
      title={about === null ? "" : props.title(about)}
      body={props.body}
      action={props.action}
      cancel={props.cancel}
      open={about !== null}
      onOpen={props.onClose}
      onConfirm={async () => about !== null && (await props.onConfirm(about))}
    />
  );
}
