import type { z } from 'zod'
import type { Contract } from '../endpoint.ts'
import { errorBody } from '../errors.ts'

type Schema = z.core.$ZodType

/** Schemas directly inside a schema, whatever its kind. */
function childrenOf(schema: Schema): Schema[] {
  const def = (schema as z.core.$ZodTypes)._zod.def
  if (def.type === 'object') return [...Object.values(def.shape), ...(def.catchall ? [def.catchall] : [])]
  if (def.type === 'array') return [def.element]
  if (def.type === 'union') return [...def.options]
  if (def.type === 'record') return [def.keyType, def.valueType]
  if (def.type === 'intersection') return [def.left, def.right]
  if (def.type === 'tuple') return [...def.items, ...(def.rest ? [def.rest] : [])]
  if (def.type === 'pipe') return [def.in, def.out]
  if (def.type === 'lazy') return [def.getter()]
  return 'innerType' in def ? [def.innerType] : []
}

/**
 * Every schema of the contract that has an id, innermost last, by id. Throws where two schemas share one: the generator
 * would silently take the first for both.
 */
export function namedSchemas(contract: Contract): Map<string, z.ZodType> {
  const byId = new Map<string, z.ZodType>()
  const seen = new Set<Schema>()
  const visit = (schema: Schema | undefined) => {
    if (schema === undefined || seen.has(schema)) return
    seen.add(schema)
    const id = (schema as z.ZodType).meta()?.id
    if (id !== undefined) {
      if (byId.has(id)) throw new Error(`two schemas have the id ${id}`)
      byId.set(id, schema as z.ZodType)
    }
    childrenOf(schema).forEach(visit)
  }
  for (const endpoints of Object.values(contract)) {
    for (const endpoint of Object.values(endpoints))
      [endpoint.query, endpoint.body, endpoint.response, endpoint.alternativeStatus?.response].forEach(visit)
  }
  visit(errorBody)
  return byId
}
