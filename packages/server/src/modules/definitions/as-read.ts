import type { WriteContext } from '../../kernel/implement.ts'
import { pointer } from '../../lib/pointers.ts'

/** Attributes that are read and cannot be changed, under names that resources share. */
const readOnly = [
  ...(['_id', 'type', 'version', 'owner_id', 'acting_id', 'stopped_reason'] as const),
  ...(['_created_at', '_created_by', '_updated_at', '_updated_by'] as const),
]

type ReadOnly = Partial<Record<(typeof readOnly)[number], unknown>>

/** 422 where a body sends what cannot be changed, and not as it was read. */
export function requireAsRead<Name extends string>(
  ctx: WriteContext,
  given: ReadOnly & Partial<Record<Name, unknown>>,
  read: ReadOnly & Partial<Record<Name, unknown>>,
  base: readonly string[],
  more: readonly Name[] = [],
): void {
  const changed = [...readOnly, ...more].find((name) => given[name] !== undefined && given[name] !== read[name])
  if (changed === undefined) return
  throw ctx.fail('invalid_body', {
    detail: `\`${changed}\` cannot be changed: omit it, or send it unchanged.`,
    source: { pointer: pointer([...base, changed]) },
  })
}
