import type { RecordResource } from '@kontor/contract'
import { primaryOf, type SchemaReader } from './schemas.ts'

/** Finds the primary fields of the objects that records refer to, to name what is beside an id. */
export async function primaries(
  schemas: SchemaReader,
  records: readonly RecordResource[],
): Promise<(type: string) => string | undefined> {
  const types = new Set(
    records.flatMap(({ relationships }) =>
      Object.values(relationships).flatMap(({ data }) =>
        [data].flat().flatMap((one) => (one?.attributes === undefined ? [] : [one.type])),
      ),
    ),
  )
  const found = new Map<string, string | undefined>()
  for (const type of types) found.set(type, primaryOf(await schemas.find(type)))
  return (type) => found.get(type)
}
