/** The key that a message on `billing.key-changed` is about. */
export function changedKey(data: Uint8Array): string {
  return (JSON.parse(Buffer.from(data).toString()) as { key_id: string }).key_id;
}
