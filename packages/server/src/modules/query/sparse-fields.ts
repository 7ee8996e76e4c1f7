import type { ErrorSource } from '../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { suggestion } from '@kontor/contract'
import type { ObjectModel } from '../objects/index.ts'
import type { LocationOf } from './error-locations.ts'

/** By object, the attributes to answer with. */
export type SparseFields = Readonly<Record<string, readonly string[]>>

/** Checked sparse fields; an object that is missing here shows every attribute. */
export type ShownFields = ReadonlyMap<string, ReadonlySet<string>>

/** Checks `fields[object]=a,b` for the objects that an answer holds records of. */
export function resolveFields(
  ctx: WorkspaceReadContext<'unknown_field'>,
  objects: readonly ObjectModel[],
  fields: SparseFields | undefined,
  sourceOf: LocationOf,
): ShownFields {
  const shown = new Map<string, ReadonlySet<string>>()
  for (const [name, names] of Object.entries(fields ?? {})) {
    const object = objects.find((one) => one.name === name)
    if (object === undefined) throw unknown(ctx, name, [...new Set(objects.map((one) => one.name))], sourceOf(name))
    const allowed = object.attributes.map((field) => field.name)
    const wrong = names.find((one) => !allowed.includes(one) && !one.startsWith('_'))
    if (wrong !== undefined) throw unknown(ctx, wrong, allowed, sourceOf(name))
    shown.set(name, new Set(names))
  }
  return shown
}

const unknown = (
  ctx: WorkspaceReadContext<'unknown_field'>,
  name: string,
  allowed: readonly string[],
  source: ErrorSource,
) =>
  ctx.fail('unknown_field', {
    detail: `There is no field "${name.slice(0, 64)}" to return.${suggestion(name, allowed)}`,
    source,
    meta: { allowed },
  })
