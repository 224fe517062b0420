import { NumberInput, type NumberInputProps } from "@mantine/core";

/** An amount of USD, to the nano-dollar. */
export function AmountInput(props: NumberInputProps) {
  return <NumberInput prefix="$" decimalScale={9} thousandSeparator="," min={0} allowNegative={false} {...props} />;
}
