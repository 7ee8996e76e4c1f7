import type { ExportBody } from '@kontor/contract'
import type { SourceContext } from './source.ts'

/** Returns a member that a kind of export requires; 422 without it. */
export function requiredOf<K extends 'object' | 'list' | 'sql'>(
  ctx: SourceContext,
  body: ExportBody,
  name: K,
): NonNullable<ExportBody[K]> {
  const value = body[name]
  if (value !== undefined) return value
  throw ctx.fail('invalid_body', {
    detail: `An export of the kind "${body.kind}" requires "${name}".`,
    source: { pointer: `/${name}` },
  })
}
