import { suggestion, type WebhookFilter } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import { findObject, type ObjectModel } from '../objects/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { fromTree, resolveFilter } from '../filters/index.ts'

/** A context that can say what is wrong with a filter. */
export type CheckContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value'>

/** Where the attributes of a body stand: bare, or in `data`. */
export const pointerOf = (body: object): string => ('data' in body ? '/data/attributes' : '')

/** A URL that leads nowhere is refused when it is saved; what its name resolves to is checked at each request. */
export function requireTarget(ctx: CheckContext, outbound: OutboundClient, url: string, pointer: string): void {
  const fault = outbound.faultOf(url)
  if (fault !== undefined)
    throw ctx.fail('invalid_body', { detail: fault.message, source: { pointer: `${pointer}/url` } })
}

/** All events one after another are those of each record too. */
export function requireOrder(
  ctx: CheckContext,
  { ordered, fifo }: { readonly ordered: boolean; readonly fifo: boolean },
  pointer: string,
): void {
  if (!fifo || ordered) return
  throw ctx.fail('invalid_body', {
    detail: '`fifo` requires `ordered`.',
    source: { pointer: `${pointer}/fifo` },
  })
}

/** Checks a filter against the schemas, as the caller sees them. */
export async function requireFilter(ctx: CheckContext, filter: WebhookFilter, pointer: string): Promise<void> {
  const { object: name, changed, where } = filter
  if (name === undefined) {
    if (changed === undefined && where === undefined) return
    throw ctx.fail('invalid_body', {
      detail: '`changed` and `where` require `object`, since they name fields of one object.',
      source: { pointer: `${pointer}/filter/object` },
    })
  }
  if (!(await workspaceSchemas(ctx)).has(name))
    throw ctx.fail('invalid_body', {
      detail: `There is no object "${name}".`,
      source: { pointer: `${pointer}/filter/object` },
    })
  const { object } = await findObject(ctx, name, 'read')
  requireFields(ctx, object, changed ?? [], `${pointer}/filter/changed`)
  if (where === undefined) return
  await resolveFilter(ctx, object, fromTree(where, `${pointer}/filter/where`), () => ({
    pointer: `${pointer}/filter/where`,
  }))
}

function requireFields(ctx: CheckContext, object: ObjectModel, changed: readonly string[], pointer: string): void {
  const unknown = changed.findIndex((field) => !object.fields.has(field))
  if (unknown === -1) return
  const [name, allowed] = [changed[unknown] ?? '', [...object.fields.keys()]]
  throw ctx.fail('invalid_body', {
    detail: `The object "${object.name}" has no field "${name}".${suggestion(name, allowed)}`,
    source: { pointer: `${pointer}/${unknown}` },
    meta: { allowed },
  })
}
