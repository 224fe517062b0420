import { Button, type ButtonProps, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "./failure.tsx";

interface Props extends ButtonProps {
  /** The last attempt: its error is shown, and while it runs the button shows a spinner. */
  readonly of: { readonly error: Error | null; readonly isPending: boolean };
  /** Adds a Cancel button, which has the focus if the other one is red. */
  readonly onCancel?: () => void;
  /** Without it the button submits the form. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** The end of a form or a dialog: why it failed, Cancel, and the button that carries it out. */
export function Actions({ of: { error, isPending }, onCancel, onClick, ...button }: Props) {
  const { t } = useTranslation();
  return (
    <>
      {error !== null && <Failure error={error} />}
      <Group justify="flex-end">
        {onCancel && (
          <Button variant="default" onClick={onCancel} {...(button.color === "red" && { "data-autofocus": true })}>
            {t("common.cancel")}
          </Button>
        )}
        <Button
          {...(onClick === undefined ? { type: "submit" as const } : { onClick })}
          loading={isPending}
          {...button}
        />
      </Group>
    </>
  );
}
