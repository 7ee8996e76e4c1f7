import type { FieldIndexFact } from '@kontor/server/admin'

/** Says in one line which index it is, how far it is, and when a list last used it. */
export function indexInWords({
  workspace,
  object,
  field,
  kind,
  state,
  filled,
  total,
  last_used_at,
}: FieldIndexFact): string {
  const progress =
    state === 'ready' ? 'ready' : `building, ${Math.min(99, Math.floor((100 * filled) / Math.max(1, total)))}%`
  const use =
    last_used_at === null ? '' : `, last used ${new Date(last_used_at).toISOString().slice(0, 16).replace('T', ' ')}`
  return `${workspace}: ${object}.${field} (${kind}) ${progress}${use}`
}
