import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { suggestion } from '../../../kernel/nearest.ts'
import type { ObjectModel } from '../object.ts'

/** By object, the attributes to answer with. */
export type SparseFields = Readonly<Record<string, readonly string[]>>

/** Checks `fields[object]=a,b`; undefined where every attribute shall be shown. */
export function resolveFields(ctx: WorkspaceReadContext<'unknown_field'>, object: ObjectModel, fields: SparseFields | undefined): ReadonlySet<string> | undefined {
  const named = Object.keys(fields ?? {})
  const other = named.find((name) => name !== object.name)
  if (other !== undefined) throw unknown(ctx, other, [object.name], `fields[${other}]`)
  const shown = fields?.[object.name]
  const allowed = object.attributes.map(({ name }) => name)
  const wrong = shown?.find((name) => !allowed.includes(name) && !name.startsWith('_'))
  if (wrong !== undefined) throw unknown(ctx, wrong, allowed, `fields[${object.name}]`)
  return shown && new Set(shown)
}

const unknown = (ctx: WorkspaceReadContext<'unknown_field'>, name: string, allowed: readonly string[], parameter: string) =>
  ctx.fail('unknown_field', { detail: `"${name.slice(0, 64)}" cannot be asked for.${suggestion(name, allowed)}`, source: { parameter }, meta: { allowed } })
