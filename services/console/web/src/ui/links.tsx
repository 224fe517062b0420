import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

type LinkProps<P> = P &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P> & { readonly ref?: Ref<HTMLAnchorElement> };

/** A link to a page, in the text. */
export const TextLink = createLink((props: LinkProps<AnchorProps>) => <Anchor {...props} />);
/** A link to a page that looks like a button. */
export const ButtonLink = createLink((props: LinkProps<ButtonProps>) => <Button component="a" {...props} />);
